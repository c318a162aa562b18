/** One session: its turns, their briefs and ceilings, and what each spent and produced. */
import type { AgentSession, AgentTurn } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, credits } from "../format.ts";
import { attempt } from "../notices.ts";
import { Copy } from "../parts/copy.tsx";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { RequestView } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { at, go } from "../place.ts";
import { klieg } from "../session.ts";
import { useEffect, useState } from "../view.ts";

export function SessionView({ id }: { id: string }) {
  const { asked, again } = useAsked(
    (signal) => klieg.value.agents.getSession(id, { signal }),
    [id],
  );
  const isRunning = asked.phase === "ready" && asked.value.status === "running";
  useEffect(() => followTurn(id, isRunning, again), [id, isRunning]);
  return (
    <RequestView asked={asked} again={again}>
      {(session) => (
        <div class="view">
          <header class="view-head">
            <a class="button bare icon-only" href={at("agents")} aria-label="To all sessions">
              <Icon name="back" />
            </a>
            <h1 class="long">{session.title || "Untitled"}</h1>
            <Status of={session.status} />
            <p class="hint">{credits(session.credits_spent)} spent</p>
            <Actions session={session} again={again} />
          </header>
          <div class="two">
            <section class="stage-column">
              <Turns session={session} again={again} />
            </section>
            <section class="about-column">
              <NewTurn session={session} again={again} />
            </section>
          </div>
        </div>
      )}
    </RequestView>
  );
}

/** Reads the session again whenever its stream reports an event. */
function followTurn(id: string, isRunning: boolean, again: () => void): (() => void) | undefined {
  if (!isRunning) return undefined;
  const ending = new AbortController();
  const { signal } = ending;
  const follow = async () => {
    for await (const _ of klieg.value.agents.stream(id, { signal })) again();
  };
  follow().catch(() => undefined);
  return () => ending.abort();
}

interface SessionProps {
  session: AgentSession;
  again: () => void;
}

function Actions({ session, again }: SessionProps) {
  const { id, status } = session;
  const interrupt = () =>
    attempt(async () => {
      await klieg.value.agents.interrupt(id, {});
      again();
    }, "Stopped");
  const remove = () => {
    if (!confirm("Delete this session?")) return;
    attempt(async () => {
      await klieg.value.agents.endSession(id);
      go(at("agents"));
    }, "Deleted");
  };
  return (
    <div class="actions">
      {status === "running" && (
        <button type="button" class="danger" onClick={interrupt}>
          <Icon name="stop" />
          Stop the turn
        </button>
      )}
      <a class="button plain" href={at("jobs", { agent_session_id: id })}>
        <Icon name="jobs" />
        Jobs
      </a>
      <button type="button" class="danger" onClick={remove}>
        <Icon name="trash" />
        Delete
      </button>
    </div>
  );
}

function Turns({ session, again }: SessionProps) {
  const { turns = [], id } = session;
  if (turns.length === 0) return <p class="hint">No turn has started yet.</p>;
  return (
    <>
      {turns.map((turn) => (
        <Turn key={turn.id} session={id} turn={turn} again={again} />
      ))}
    </>
  );
}

function Turn(props: { session: string; turn: AgentTurn; again: () => void }) {
  const { session, turn, again } = props;
  const { credit_ceiling: ceiling, credits_committed: spent, summary, job_ids: jobs } = turn;
  return (
    <article class="card panel turn">
      <p class="turn-head">
        <Status of={turn.status} />
        <span class="hint">{ago(turn.started_at, nowMs.value)}</span>
        <span class="amount">
          {credits(spent)}
          {typeof ceiling === "number" && ` of ${credits(ceiling)}`}
        </span>
      </p>
      {typeof ceiling === "number" && (
        <progress
          value={spent}
          max={Math.max(1, ceiling)}
          aria-label="Spent of the approved price"
        />
      )}
      <p class="prose">{turn.brief}</p>
      {summary && <p class="hint prose">{summary}</p>}
      {jobs.length > 0 && (
        <p class="turn-jobs">
          {jobs.map((job, index) => (
            <a key={job} href={at(`jobs/${job}`)}>
              Job {index + 1}
            </a>
          ))}
        </p>
      )}
      {turn.status === "running" && <Ceiling session={session} turn={turn} again={again} />}
    </article>
  );
}

function Ceiling(props: { session: string; turn: AgentTurn; again: () => void }) {
  const { session, turn, again } = props;
  const [value, setValue] = useState(String(turn.credit_ceiling ?? ""));
  const raise = () =>
    attempt(async () => {
      const ceiling = value === "" ? {} : { credit_ceiling: Number(value) };
      await klieg.value.agents.setCeiling(session, turn.id, ceiling);
      again();
    }, "Changed");
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        raise();
      }}
    >
      <Field id={`ceiling-${turn.id}`} label="Ceiling">
        <input
          id={`ceiling-${turn.id}`}
          type="number"
          min={0}
          placeholder="None"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </Field>
      <button type="submit" class="plain">
        Approve
      </button>
    </form>
  );
}

function NewTurn({ session, again }: SessionProps) {
  const [brief, setBrief] = useState("");
  const [ceiling, setCeiling] = useState("");
  const [credential, setCredential] = useState<string>();
  const start = () =>
    attempt(async () => {
      const limit = ceiling === "" ? {} : { credit_ceiling: Number(ceiling) };
      const turn = await klieg.value.agents.startTurn(session.id, { brief, ...limit });
      setCredential(turn.credential);
      setBrief("");
      again();
    });
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <h2>New turn</h2>
      {credential !== undefined && (
        <div class="made-link" role="status">
          <code>{credential}</code>
          <Copy text={credential} label="Copy the credential" />
          <p class="hint">For the agent. It is shown only this once and expires with the turn.</p>
        </div>
      )}
      <Field id="brief" label="Brief">
        <textarea
          id="brief"
          required
          maxLength={20_000}
          value={brief}
          onInput={(event) => setBrief(event.currentTarget.value)}
        />
      </Field>
      <Field id="turn-ceiling" label="May spend, in credits" hint="Nothing: no ceiling.">
        <input
          id="turn-ceiling"
          type="number"
          min={0}
          value={ceiling}
          onInput={(event) => setCeiling(event.currentTarget.value)}
        />
      </Field>
      <button type="submit" disabled={session.status === "running"}>
        Start the turn
      </button>
    </form>
  );
}
