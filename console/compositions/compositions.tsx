/** All compositions, the form for a new one, and a single composition by its address. */
import type {
  Composition,
  CompositionPage,
} from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, bytes, count, playtime } from "../format.ts";
import { attempt } from "../notices.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Filters, SearchFilter } from "../parts/filter.tsx";
import { Icon } from "../parts/icon.tsx";
import { More } from "../parts/more.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { getParameter as askedFor, at, go, segments } from "../place.ts";
import { klieg, may } from "../session.ts";
import { useState } from "../view.ts";
import { CompositionView } from "./composition.tsx";
import { Poster } from "./poster.tsx";

const pageSize = 50;

export function Compositions() {
  const [, id] = segments.value;
  return id === undefined || id === "" ? <List /> : <CompositionView key={id} id={id} />;
}

function List() {
  const [isOpen, setOpen] = useState(false);
  const filter = { q: askedFor("q"), series: askedFor("series") };
  const key = JSON.stringify(filter);
  const { asked, again } = useAsked(
    (signal) => klieg.value.compositions.list({ limit: pageSize, ...filter }, { signal }),
    [key],
  );
  return (
    <div class="view">
      <header class="view-head">
        <h1>Compositions</h1>
        {asked.phase === "ready" && <p class="hint">{count(asked.value.total)} in all</p>}
        {may("compositions") && (
          <div class="actions">
            <button type="button" onClick={() => setOpen(true)}>
              <Icon name="plus" />
              New composition
            </button>
          </div>
        )}
      </header>
      <Filters isUsed={filter.q !== undefined || filter.series !== undefined}>
        <SearchFilter name="q" label="Search" />
        <SearchFilter name="series" label="Series" />
      </Filters>
      <RequestView asked={asked} again={again}>
        {(page) => <Rows key={key} page={page} filter={filter} />}
      </RequestView>
      {isOpen && <NewComposition close={() => setOpen(false)} />}
    </div>
  );
}

interface RowsProps {
  page: CompositionPage;
  filter: { q: string | undefined; series: string | undefined };
}

function Rows({ page, filter }: RowsProps) {
  const [last, setLast] = useState(page);
  const [items, setItems] = useState<readonly Composition[]>(page.items);
  if (items.length === 0)
    return (
      <Empty icon="compositions" title="No compositions yet">
        <p>A composition is a film made of HTML: pictures, video, sound and text on a timeline.</p>
        <p>
          Begin with an empty one above, or send a folder with <code>klieg render</code>.
        </p>
      </Empty>
    );
  const more = async () => {
    const cursor = last.next_cursor ?? undefined;
    const next = await klieg.value.compositions.list({ limit: pageSize, ...filter, cursor });
    setLast(next);
    setItems([...items, ...next.items]);
  };
  return (
    <>
      <div class="list card">
        {items.map((composition) => (
          <Row key={composition.id} composition={composition} />
        ))}
      </div>
      <More hasMore={typeof last.next_cursor === "string"} more={more} />
    </>
  );
}

function Row({ composition }: { composition: Composition }) {
  const { id, name, width, height, duration_seconds: seconds, updated_at, revision } = composition;
  return (
    <a class="row" data-row href={at(`compositions/${id}`)}>
      <Poster composition={composition} />
      <span class="row-main">
        <span class="row-title">{name}</span>
        <span class="hint">
          {width && height ? `${width} \u00d7 ${height}` : "No size yet"}
          {seconds ? ` · ${playtime(seconds)}` : ""} · changed {ago(updated_at, nowMs.value)}
        </span>
      </span>
      <span class="row-money">{bytes(composition.total_bytes)}</span>
      <span class="row-state hint">Revision {revision}</span>
    </a>
  );
}

const shapes = ["1920 x 1080", "1080 x 1920", "1080 x 1080"] as const;

function NewComposition({ close }: { close: () => void }) {
  const [name, setName] = useState("");
  const [shape, setShape] = useState<string>(shapes[0]);
  const create = () =>
    attempt(async () => {
      const [width, height] = shape.split(" x ").map(Number);
      const request = { name, width, height, template: "blank_html" } as const;
      const made = await klieg.value.compositions.create(request);
      close();
      go(at(`compositions/${made.id}`));
    });
  return (
    <Dialog title="New composition" onClose={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        <Field id="composition-name" label="Name">
          <input
            id="composition-name"
            required
            maxLength={200}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Field id="composition-shape" label="Canvas">
          <select
            id="composition-shape"
            value={shape}
            onChange={(event) => setShape(event.currentTarget.value)}
          >
            {shapes.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </Field>
        <button type="submit">Create the composition</button>
      </form>
    </Dialog>
  );
}
