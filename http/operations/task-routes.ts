/** Operator routes: the tasks that farm nodes work on, with their current pictures. */
import { AdminTaskList } from "../../contract/admin.ts";
import type { FarmTasks } from "../../effects/effects-messages.ts";
import { type Id, parseId } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { anywhere, type Call, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { bytesInPieces } from "../transport/byte-stream.ts";

export const taskRoutes: readonly Route[] = [
  route("GET", "/v1/admin/tasks", {
    summary: "List the tasks that farm nodes hold, and count those that wait",
    answers: { 200: AdminTaskList },
    access: "admin",
    getPartition: anywhere,
    rate: "read",
    run: listTasks,
  }),
  route("GET", "/v1/admin/tasks/{id}/thumbnail", {
    summary: "A picture of what a farm node is about to make",
    answers: { 200: "image/jpeg" },
    access: "admin",
    getPartition: anywhere,
    rate: "read",
    run: showThumbnail,
  }),
];

export const taskPartPath = "/parts/tasks";

/** Tasks that this node gave to farm nodes; none while the thread for them is not running. */
export function ownTasks({ line }: Service): Promise<FarmTasks> {
  return line.farmTasks();
}

/** Returns the task's thumbnail as a JPEG in base64, or null. */
export function ownThumbnail({ line }: Service, id: Id): Promise<string | null> {
  return line.farmThumbnail(id);
}

async function listTasks({ service }: Call): Promise<Answer> {
  const [own, others] = await Promise.all([
    ownTasks(service),
    service.cluster?.forwarder.askNodes("GET", taskPartPath) ?? [],
  ]);
  const parts = [own, ...others.flatMap(({ answer }) => (answer as FarmTasks | undefined) ?? [])];
  const running = parts.flatMap((part) => part.running);
  const kinds = [...new Set(parts.flatMap(({ waiting }) => Object.keys(waiting)))].sort();
  return json(200, {
    items: running
      .sort((a, b) => a.claimedAtMs - b.claimedAtMs)
      .map(({ id, kind, scope, node, claimedAtMs, progress, hasThumbnail }) => ({
        id,
        kind,
        account_id: scope,
        node,
        started_at: timestamp(claimedAtMs),
        progress,
        has_thumbnail: hasThumbnail,
      })),
    waiting: kinds.map((kind) => ({
      kind,
      tasks: parts.reduce((sum, { waiting }) => sum + (waiting[kind] ?? 0), 0),
    })),
  } satisfies AdminTaskList);
}

async function showThumbnail({ service, id }: Call): Promise<Answer> {
  const task = requireFound(parseId(id));
  const own = await ownThumbnail(service, task);
  const path = `${taskPartPath}/${task}/thumbnail`;
  const others = own === null ? service.cluster?.forwarder.askNodes("GET", path) : undefined;
  const answers = ((await others) ?? []).map(({ answer }) => answer as string | null | undefined);
  const shown = own ?? answers.find((answer) => answer) ?? undefined;
  const jpeg = Buffer.from(requireFound(shown), "base64");
  return {
    status: 200,
    headers: [["Content-Type", "image/jpeg"]],
    body: bytesInPieces(jpeg),
  };
}
