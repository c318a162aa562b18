/** The service's machines: their shards and tasks, and draining one of them. */
import type { AdminNode } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, count } from "../format.ts";
import { attempt } from "../notices.ts";
import { Dialog } from "../parts/dialog.tsx";
import { RequestView } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { klieg } from "../session.ts";
import { useState } from "../view.ts";

const everyMs = 4_000;

export function Nodes() {
  const { asked, again } = useAsked(
    (signal) => klieg.value.admin.nodes({ signal }),
    [],
    () => everyMs,
  );
  const [chosen, setChosen] = useState<AdminNode>();
  return (
    <div class="view">
      <header class="view-head">
        <h1>Nodes</h1>
      </header>
      <RequestView asked={asked} again={again}>
        {({ items }) => (
          <div class="list card">
            {items.map((node) => (
              <Row
                key={node.id}
                node={node}
                drain={mayDrain(node, items) ? () => setChosen(node) : undefined}
              />
            ))}
          </div>
        )}
      </RequestView>
      {chosen !== undefined && (
        <Drain
          node={chosen}
          close={(isDrained) => {
            setChosen(undefined);
            if (isDrained) again();
          }}
        />
      )}
    </div>
  );
}

/** A draining service node hands its shards to another, so another must be alive. */
function mayDrain({ id, kind, status }: AdminNode, nodes: readonly AdminNode[]): boolean {
  const isOther = (other: AdminNode) => other.kind === "engine" && other.id !== id;
  const isLeft = nodes.some((other) => isOther(other) && other.status === "live");
  return status === "live" && (kind === "farm" || isLeft);
}

function Row({ node, drain }: { node: AdminNode; drain: (() => void) | undefined }) {
  const { id, name, kind, address, version, status, shards, tasks, warnings } = node;
  const { started_at, last_seen_at } = node;
  return (
    <div class="line">
      <div class="line-main">
        <p class="row-title">
          {name} <span class="hint">{kind === "farm" ? "farm node" : "service"}</span>
        </p>
        <p class="hint">
          {address}
          {kind === "farm" ? "" : ` · ${id}`}
          {version ? ` · ${version}` : ""} · up since {ago(started_at, nowMs.value)} · seen{" "}
          {ago(last_seen_at, nowMs.value)}
        </p>
        {warnings.map((warning) => (
          <p key={warning} class="node-warning">
            {warning}
          </p>
        ))}
        {shards.length > 0 && (
          <p class="shards">
            {shards.map(({ shard, role }) => (
              <span key={shard} class={`shard ${role}`} title={`Shard ${shard}: ${role}`}>
                {shard}
              </span>
            ))}
          </p>
        )}
      </div>
      {kind === "farm" && (
        <p class="hint">
          {count(tasks)} {tasks === 1 ? "task" : "tasks"}
        </p>
      )}
      <Status of={status} />
      {drain !== undefined && (
        <button type="button" class="danger small" onClick={drain}>
          Drain
        </button>
      )}
    </div>
  );
}

function Drain({ node, close }: { node: AdminNode; close: (isDrained: boolean) => void }) {
  const drain = () =>
    attempt(async () => {
      await klieg.value.admin.drainNode(node.id);
      close(true);
    }, "It drains");
  return (
    <Dialog title="Drain this node?" onClose={() => close(false)}>
      <p>
        {node.kind === "farm"
          ? "It finishes its tasks and accepts no more."
          : "It hands over its shards, ends its streams and accepts no more work."}{" "}
        It works again once it is restarted.
      </p>
      <div class="actions dialog-actions">
        <button type="button" class="plain" onClick={() => close(false)}>
          Leave it
        </button>
        <button type="button" onClick={drain}>
          Drain {node.name}
        </button>
      </div>
    </Dialog>
  );
}
