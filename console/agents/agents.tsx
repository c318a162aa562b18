/** Sessions of agents with what each has spent, and a single session by its address. */
import type { AgentSession } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, count, credits } from "../format.ts";
import { attempt } from "../notices.ts";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { More } from "../parts/more.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { at, go, segments } from "../place.ts";
import { klieg } from "../session.ts";
import { useState } from "../view.ts";
import { SessionView } from "./session.tsx";

const pageSize = 30;
const everyMs = 10_000;

export function Agents() {
  const [, id] = segments.value;
  return id === undefined || id === "" ? <List /> : <SessionView key={id} id={id} />;
}

function List() {
  const [older, setOlder] = useState<readonly AgentSession[]>([]);
  const [cursor, setCursor] = useState<string | null>();
  const { asked, again } = useAsked(
    (signal) => klieg.value.agents.listSessions({ limit: pageSize }, { signal }),
    [],
    () => everyMs,
  );
  return (
    <div class="view">
      <header class="view-head">
        <h1>Agents</h1>
        {asked.phase === "ready" && <p class="hint">{count(asked.value.total)} in all</p>}
      </header>
      <NewSession />
      <RequestView asked={asked} again={again}>
        {({ items, next_cursor: first }) => {
          const next = cursor === undefined ? first : cursor;
          const more = async () => {
            const page = await klieg.value.agents.listSessions({
              limit: pageSize,
              cursor: next ?? undefined,
            });
            setOlder([...older, ...page.items]);
            setCursor(page.next_cursor ?? null);
          };
          return (
            <>
              <Sessions items={[...items, ...older]} />
              <More hasMore={typeof next === "string"} more={more} />
            </>
          );
        }}
      </RequestView>
    </div>
  );
}

function Sessions({ items }: { items: readonly AgentSession[] }) {
  if (items.length === 0)
    return (
      <Empty icon="agents" title="No sessions yet">
        <p>
          A session gives an agent a credential of its own, for one brief at a time and up to the
          price that you approve.
        </p>
      </Empty>
    );
  return (
    <div class="list card">
      {items.map(({ id, title, status, credits_spent: spent, updated_at }) => (
        <a key={id} class="row" data-row href={at(`agents/${id}`)}>
          <span class="row-picture">
            <Icon name="agents" size={20} />
          </span>
          <span class="row-main">
            <span class="row-title">{title || "Untitled"}</span>
            <span class="hint">{ago(updated_at, nowMs.value)}</span>
          </span>
          <span class="row-money">{credits(spent)}</span>
          <span class="row-state">
            <Status of={status} />
          </span>
        </a>
      ))}
    </div>
  );
}

function NewSession() {
  const [title, setTitle] = useState("");
  return (
    <form
      class="inline-form first"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(async () => {
          const { id } = await klieg.value.agents.createSession({ title });
          go(at(`agents/${id}`));
        });
      }}
    >
      <Field id="session-title" label="A new session">
        <input
          id="session-title"
          required
          maxLength={200}
          placeholder="What it is for"
          value={title}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
      </Field>
      <button type="submit">
        <Icon name="plus" />
        Open
      </button>
    </form>
  );
}
