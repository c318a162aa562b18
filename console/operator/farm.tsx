/** The farm's nodes: what each is doing, with pictures of renders, its room, and what waits. */
import type {
  AdminNode,
  AdminTask,
  AdminTaskList,
} from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, count, words } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { klieg } from "../session.ts";
import { useEffect, useState } from "../view.ts";

const everyMs = 2_500;

export function Farm() {
  const { asked, again } = useAsked(readFarm, [], () => everyMs);
  return (
    <div class="view">
      <header class="view-head">
        <h1>Farm</h1>
        {asked.phase === "ready" && <p class="hint">{describe(asked.value.nodes)}</p>}
      </header>
      <RequestView asked={asked} again={again}>
        {({ list, nodes }) => (
          <div class="stack">
            <Waiting list={list} />
            <Nodes nodes={nodes} items={list.items} />
          </div>
        )}
      </RequestView>
    </div>
  );
}

async function readFarm(signal: AbortSignal) {
  const { admin } = klieg.value;
  const [list, { items }] = await Promise.all([admin.tasks({ signal }), admin.nodes({ signal })]);
  return { list, nodes: items.filter(({ kind }) => kind === "farm") };
}

function describe(nodes: readonly AdminNode[]): string {
  const sum = (number: (node: AdminNode) => number) =>
    nodes.reduce((total, node) => total + number(node), 0);
  const [tasks, slots] = [sum((node) => node.tasks), sum((node) => node.slots)];
  const names = nodes.length === 1 ? "1 node" : `${count(nodes.length)} nodes`;
  return `${names}, ${count(tasks)} of ${count(slots)} places taken`;
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

function Nodes({ nodes, items }: { nodes: readonly AdminNode[]; items: readonly AdminTask[] }) {
  if (nodes.length === 0)
    return (
      <Empty icon="farm" title="No farm node is here">
        <p>
          Films and built-in pictures wait until one comes. Set <code>KLIEG_FARM_WORKERS</code> to 1
          or more, or start farm nodes on other machines.
        </p>
        <a class="button plain" href="/docs/farm">
          How to start a farm node
        </a>
      </Empty>
    );
  return (
    <>
      {nodes.map((node) => (
        <Node key={node.id} node={node} tasks={items.filter((task) => task.node === node.id)} />
      ))}
    </>
  );
}

function Node({ node, tasks }: { node: AdminNode; tasks: readonly AdminTask[] }) {
  const { name, status, slots, started_at: started } = node;
  const room = Math.max(0, slots - node.tasks);
  return (
    <section class="card panel">
      <div class="panel-head">
        <h2>{name}</h2>
        <Status of={status} />
      </div>
      <p class="hint">
        {node.tasks === 0 ? "Idle" : `${count(node.tasks)} of ${count(slots)} places taken`}
        {status === "live" ? ` · room for ${count(room)} more` : ""} · up since{" "}
        {ago(started, nowMs.value)}
      </p>
      {tasks.length > 0 && (
        <div class="tasks">
          {tasks.map((task) => (
            <Task key={task.id} task={task} />
          ))}
        </div>
      )}
    </section>
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
