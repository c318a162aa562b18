/** Filters of a listing, stored in its address. */
import { words } from "../format.ts";
import { getParameter, refine } from "../place.ts";
import { type ComponentChildren, useState } from "../view.ts";
import { Icon } from "./icon.tsx";

/** The filters of a listing. A narrow screen shows them when they are asked for. */
export function Filters({ isUsed, children }: { isUsed: boolean; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <search class={isOpen ? "folding open" : "folding"}>
      <button
        type="button"
        class="plain small"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="search" size={16} />
        {isUsed ? "Filters in use" : "Filters"}
      </button>
      <div class="filters">{children}</div>
    </search>
  );
}

interface FilterProps {
  name: string;
  label: string;
  options: readonly string[];
  /** Labels of options whose names are not clear enough. */
  labels?: Readonly<Record<string, string>>;
  none?: string;
}

const known: Readonly<Record<string, string>> = { three_d: "3D", image: "Picture", audio: "Sound" };

export function Filter({ name, label, options, labels = known, none = "All" }: FilterProps) {
  return (
    <label>
      <span>{label}</span>
      <select
        value={getParameter(name) ?? ""}
        onChange={(event) => refine({ [name]: event.currentTarget.value || undefined })}
      >
        <option value="">{none}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {labels[option] ?? words(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The `/` key focuses the first search field of a view. */
export function SearchFilter({ name, label }: Pick<FilterProps, "name" | "label">) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="search"
        data-search
        value={getParameter(name) ?? ""}
        onChange={(event) => refine({ [name]: event.currentTarget.value || undefined })}
      />
    </label>
  );
}

export function DayFilter({ name, label }: Pick<FilterProps, "name" | "label">) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="date"
        value={getParameter(name) ?? ""}
        onChange={(event) => refine({ [name]: event.currentTarget.value || undefined })}
      />
    </label>
  );
}
