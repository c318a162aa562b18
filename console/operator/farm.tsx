/** What each farm node is doing, with pictures of renders, and the tasks that are waiting. */
import type { AdminTask, AdminTaskList } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, count, words } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { klieg } from "../session.ts";
import { useEffect, useState } from "../view.ts";

const everyMs = 2_500;

export function Farm() {
  const { asked, again } = useAsked(
    (signal) => klieg.value.admin.tasks({ signal }),
    [],
    () => everyMs,
  );
  return (
    <div class="view">
      <header class="view-head">
        <h1>Farm</h1>
        {asked.phase === "ready" && <p class="hint">{count(asked.value.items.length)} tasks run</p>}
      </header>
      <RequestView asked={asked} again={again}>
        {(list) => (
          <div class="stack">
            <Waiting list={list} />
            <Running items={list.items} />
          </div>
        )}
      </RequestView>
    </div>
  );
}

function Waiting({ list: { waiting } }: { list: AdminTaskList }) {
  const open = waiting.filter(({ tasks }) => tasks > 0);
  if (open.length === 0) return <p class="hint">Nothing is waiting for a farm node.</p>;
  return (
    <div class="card panel figures">
      {open.map(({ kind, tasks }) => (
        <div key={kind} class="figure">
          <p class="hint">{words(kind)}</p>
          <p class="amount">{count(tasks)} waiting</p>
        </div>
      ))}
    </div>
  );
}

function Running({ items }: { items: readonly AdminTask[] }) {
  if (items.length === 0) return <Empty icon="farm" title="The farm is idle" />;
  const nodes = [...new Set(items.map(({ node }) => node))];
  return (
    <>
      {nodes.map((node) => (
        <section key={node} class="card panel">
          <h2>{node}</h2>
          <div class="tasks">
            {items
              .filter((task) => task.node === node)
              .map((task) => (
                <Task key={task.id} task={task} />
              ))}
          </div>
        </section>
      ))}
    </>
  );
}

function Task({ task }: { task: AdminTask }) {
  const { id, kind, progress, started_at: started } = task;
  return (
    <article class="task">
      <div class="tile-picture">
        {task.has_thumbnail ? (
          <Picture id={id} progress={progress} />
        ) : (
          <div class="placeholder">
            <Icon name="film" size={28} />
          </div>
        )}
      </div>
      <p class="row-title">{words(kind)}</p>
      <p class="hint">since {ago(started, nowMs.value)}</p>
      <progress value={progress} max={1} aria-label="Progress" />
    </article>
  );
}

/** The picture is fetched with the token, so its URL cannot be used as an image source. */
function Picture({ id, progress }: { id: string; progress: number }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const ending = new AbortController();
    const read = async () => {
      const response = await klieg.value.admin.taskThumbnail(id, { signal: ending.signal });
      const blob = await response.blob();
      if (!ending.signal.aborted) setUrl(URL.createObjectURL(blob));
    };
    read().catch(() => undefined);
    return () => ending.abort();
  }, [id, Math.floor(progress * 10)]);
  useEffect(() => (url === undefined ? undefined : () => URL.revokeObjectURL(url)), [url]);
  return url === undefined ? <div class="placeholder" /> : <img src={url} alt="" />;
}
