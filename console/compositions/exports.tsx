/** Exports the timeline for desktop editors, as an archive to download. */
import type { Composition } from "../../clients/typescript/src/generated/models.ts";
import { attempt } from "../notices.ts";
import { Icon } from "../parts/icon.tsx";
import { klieg } from "../session.ts";

const formats = [
  { format: "fcpxml", title: "Premiere, Resolve" },
  { format: "aejsx", title: "After Effects" },
] as const;

export function Exports({ composition }: { composition: Composition }) {
  const save = (format: "fcpxml" | "aejsx") =>
    attempt(async () => {
      const response = await klieg.value.compositions.export(composition.id, format);
      saveAs(await response.blob(), `${composition.name} (${format}).zip`);
    }, "Exported");
  return (
    <div class="card panel">
      <h2>Export</h2>
      <div class="actions">
        {formats.map(({ format, title }) => (
          <button key={format} type="button" class="plain" onClick={() => save(format)}>
            <Icon name="download" />
            {title}
          </button>
        ))}
      </div>
    </div>
  );
}

function saveAs(bytes: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
