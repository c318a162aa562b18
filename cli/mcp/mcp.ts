/**
 * `klieg mcp`: the service as tools for agents.
 *
 * 1. An agent works with the credential of a turn, never with its owner's: one that is given, or
 *    that of a turn which is begun here with a ceiling and finished when this ends.
 * 2. Standard output belongs to the protocol; everything for people goes beside it.
 */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import type { AgentTurn } from "../../clients/typescript/src/generated/models.ts";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { strict } from "../../contract/common.ts";
import { type Session, UsageError, wholeNumber } from "../command.ts";
import { AgentFolder } from "./agent-folder.ts";
import { assetTools } from "./asset-tools.ts";
import { compositionTools } from "./composition-tools.ts";
import { folderTools } from "./folder-tools.ts";
import { generationTools } from "./generation-tools.ts";
import { openLoopback } from "./loopback.ts";
import { answerPost, type Offered, serveStdio } from "./protocol.ts";
import { setTools } from "./set-tools.ts";
import { type Tool, tool } from "./tool.ts";

const turnPrefix = "agt_";
const usualTtlSeconds = 86_400;

export async function runMcp(args: readonly string[], session: Session): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ceiling: { type: "string" },
      brief: { type: "string", default: "Work of an agent through klieg mcp" },
      "ttl-seconds": { type: "string" },
      http: { type: "string" },
      folder: { type: "string" },
    },
  });
  const port = wholeNumber(values.http, "--http");
  if (port !== undefined && port > 65_535)
    throw new UsageError(`--http is ${port}; set it to a port from 0 to 65535.`);
  const turn = await openTurn(session, {
    brief: values.brief,
    ceiling: wholeNumber(values.ceiling, "--ceiling"),
    ttlSeconds: wholeNumber(values["ttl-seconds"], "--ttl-seconds") ?? usualTtlSeconds,
  });
  if (port !== undefined && values.folder !== undefined)
    throw new UsageError("--folder works only over standard input and output, not with --http.");
  const folder = port === undefined ? await openFolder(values.folder ?? ".") : undefined;
  const everywhere = [...generationTools, ...setTools, ...assetTools, ...compositionTools];
  const offered: Offered = {
    tools: [...everywhere, ...turn.tools, ...(folder === undefined ? [] : folderTools)],
    klieg: turn.klieg,
    folder,
    web: await session.openWeb(),
    instructions: turn.instructions,
  };
  const stopping = new AbortController();
  const stopped = session.stopped().then(() => stopping.abort());
  try {
    if (port === undefined) await serveStdio(offered, stopping.signal);
    else await serveLoopback(port, offered, stopped, session);
  } finally {
    await turn.finish();
  }
}

/** Throws `UsageError`. */
async function openFolder(path: string): Promise<AgentFolder> {
  try {
    return await AgentFolder.open(path);
  } catch {
    throw new UsageError(`--folder is "${path}", which is not a folder.`);
  }
}

async function serveLoopback(
  port: number,
  offered: Offered,
  stopped: Promise<void>,
  { terminal }: Session,
): Promise<void> {
  const bearer = randomBytes(24).toString("base64url");
  const loopback = await openLoopback(port, bearer, (request, response, body) =>
    answerPost(offered, request, response, body),
  );
  terminal.print(loopback.url);
  terminal.print(`Authorization: Bearer ${bearer}`);
  terminal.say("Agents on this machine can connect; press Ctrl-C to stop.\n");
  await stopped;
  loopback.close();
}

interface Asked {
  readonly brief: string;
  readonly ceiling: number | undefined;
  readonly ttlSeconds: number;
}

async function openTurn(session: Session, { brief, ceiling, ttlSeconds }: Asked) {
  const owner = await session.client();
  const as = (token: string) => new Klieg({ url: owner.url, token, surface: "mcp" });
  const given = session.settings().token;
  if (given?.startsWith(turnPrefix))
    return {
      klieg: as(given),
      instructions: instructions(undefined),
      tools: [],
      finish: async () => {},
    };
  if (ceiling === undefined)
    throw new UsageError(
      "Set the most that the agent may spend with --ceiling, or set KLIEG_TOKEN to an agent's credential.",
    );
  const { id } = await owner.agents.createSession({ title: brief.slice(0, 100) });
  const turn = await owner.agents.startTurn(id, {
    brief,
    credit_ceiling: ceiling,
    ttl_seconds: ttlSeconds,
  });
  const klieg = as(turn.credential ?? "");
  session.terminal.say(
    `An agent may spend ${ceiling} credits; approve more with klieg agent approve ${id} CREDITS.\n`,
  );
  const finish = async () => {
    await klieg.agents.finishTurn(id, turn.id, { status: "finished" });
  };
  const tools = [ceilingTool(() => owner.agents.getTurn(id, turn.id))];
  return { klieg, instructions: instructions(ceiling), tools, finish };
}

/** Reports the turn's ceiling. It reads the turn as the owner, since only the owner may. */
function ceilingTool(readTurn: () => Promise<AgentTurn>): Tool {
  return tool({
    name: "get_ceiling",
    title: "Credits left to spend",
    description: "The credits that your customer approved for this run, and how many are left.",
    isReadOnly: true,
    takes: strict({}),
    async run() {
      const { credit_ceiling, credits_committed } = await readTurn();
      const credits_left = credit_ceiling == null ? null : credit_ceiling - credits_committed;
      return { credit_ceiling, credits_committed, credits_left };
    },
  });
}

function instructions(ceiling: number | undefined): string {
  const price = ceiling === undefined ? "a price" : `${ceiling} credits`;
  return (
    "Klieg makes pictures, videos, sound, 3D models and films of HTML compositions. Generations " +
    `cost credits; your customer approved ${price} for this run. Quote before you generate, wait ` +
    "for jobs and renders, and share what you made by a link when your customer should see it; " +
    "if an answer says approval needed, show it to your customer and wait for the decision."
  );
}
