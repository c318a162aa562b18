/**
 * The Model Context Protocol, by its official SDK: the one file that knows it.
 *
 * 1. A call is checked against its tool's schema before anything is asked of the service.
 * 2. What the service refuses is a result that is an error; what is a bug of ours is the
 *    protocol's internal error, without its words.
 * 3. Over HTTP each request stands alone, so a client that goes away leaves nothing behind.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Klieg } from "../../clients/typescript/src/klieg.ts";
import { version } from "../../config/version.ts";
import type { Web } from "../../engine/ports/web.ts";
import type { AgentFolder } from "./agent-folder.ts";
import { buildResult, type CallResult, findRefusal, refuse } from "./answers.ts";
import { guides } from "./guides.ts";
import type { Tool, Turn } from "./tool.ts";

export interface Offered {
  readonly tools: readonly Tool[];
  readonly klieg: Klieg;
  readonly folder: AgentFolder | undefined;
  readonly web: Web;
  /** Instructions for the agent about all tools together. */
  readonly instructions: string;
}

/** Serves until the other side closes its end, or the signal aborts. */
export async function serveStdio(offered: Offered, signal: AbortSignal): Promise<void> {
  const server = createServer(offered);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once("end", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await closed;
  await server.close();
}

/** Answers one POST whose body has been read. */
export async function answerPost(
  offered: Offered,
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
): Promise<void> {
  const server = createServer(offered);
  const transport = new StreamableHTTPServerTransport({});
  response.on("close", () => void server.close());
  await server.connect(transport as Transport);
  await transport.handleRequest(request, response, body);
}

function createServer({ tools, klieg, folder, web, instructions }: Offered): Server {
  const server = new Server(
    { name: "klieg", title: "Klieg", version },
    { capabilities: { tools: {}, resources: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: tools.map(({ name, title, description, takes, isReadOnly }) => ({
      name,
      title,
      description,
      inputSchema: { ...JSON.parse(JSON.stringify(takes)), type: "object" as const },
      annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: guides.map(({ uri, name, title, mediaType: mimeType }) => ({
      uri,
      name,
      title,
      mimeType,
    })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const guide = guides.find((known) => known.uri === uri);
    if (guide === undefined)
      throw new McpError(ErrorCode.InvalidParams, `There is no resource ${uri}.`);
    return { contents: [{ uri, mimeType: guide.mediaType, text: await guide.read() }] };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { signal } = extra;
    const token = extra._meta?.progressToken;
    let reported = -1;
    // The protocol requires that progress rises with each notification.
    const report = (progress: number, message: string) => {
      if (token === undefined || progress <= reported) return;
      reported = progress;
      const told = { progressToken: token, progress, total: 1, message };
      // Failures are ignored: a client that has disconnected would not read the notification.
      void extra
        .sendNotification({ method: "notifications/progress", params: told })
        .catch(() => undefined);
    };
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    const result = await callTool(tool, params.arguments ?? {}, {
      klieg,
      folder,
      web,
      signal,
      report,
    });
    return { ...result, content: [...result.content] };
  });
  return server;
}

async function callTool(tool: Tool, given: object, turn: Turn): Promise<CallResult> {
  const faults = tool.faults(given);
  if (faults.length > 0) {
    const text = faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ");
    return refuse(`The arguments are invalid: ${text}.`, { code: "validation", errors: faults });
  }
  try {
    return buildResult(await tool.run(given, turn));
  } catch (fault) {
    return findRefusal(fault);
  }
}
