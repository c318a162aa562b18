/** Tags of the published contract, in the order in which people meet them. */
import type { Route } from "../route.ts";

interface Tag {
  readonly name: string;
  readonly description: string;
  /** First segments of the paths that the tag covers, without the version. */
  readonly segments: readonly string[];
}

export const tags: readonly Tag[] = [
  {
    name: "Authentication",
    description: "Tokens, OAuth clients, the device flow and their metadata.",
    segments: ["tokens", "oauth", "device", ".well-known"],
  },
  {
    name: "Generate",
    description:
      "Submit images, videos, audio, 3D models and sets, remove backgrounds, restore videos. Each answers 202 with a job.",
    segments: ["generate", "remove-background", "restore", "models"],
  },
  {
    name: "Jobs",
    description: "Quote, list, read, wait for, stream, cancel and delete jobs and sets.",
    segments: ["jobs", "sets"],
  },
  {
    name: "Assets",
    description: "Upload, list, read, download and delete the files of an account.",
    segments: ["assets", "uploads", "objects"],
  },
  {
    name: "Compositions",
    description: "Keep HTML timelines: their files, edits, blocks, imports, previews and exports.",
    segments: ["compositions", "preview"],
  },
  {
    name: "Renders",
    description: "Follow and cancel renders of compositions, and read what they made.",
    segments: ["renders"],
  },
  {
    name: "Shares",
    description: "Open what was shared by a link, without an account.",
    segments: ["share", "share-viewer.js"],
  },
  {
    name: "Account",
    description: "The signed-in user: credits, ledger, limits and the spending report.",
    segments: ["me", "limits", "reports"],
  },
  {
    name: "Organizations",
    description: "Organizations, their members, roles, budgets and usage.",
    segments: ["organizations"],
  },
  {
    name: "Agents",
    description: "Sessions and turns of agents, each with an approved price and a credential.",
    segments: ["agent"],
  },
  {
    name: "Operators",
    description: "Accounts, jobs, providers, nodes and invariants of the whole service.",
    segments: ["admin", "callbacks", "healthz", "readyz"],
  },
  {
    name: "Pages",
    description: "Pages, their files and this document.",
    segments: ["", "console", "console-files", "docs", "look", "problems", "openapi.json"],
  },
];

/** Finds the tag of a route. Throws for a path that no tag covers. */
export function findTag({ path }: Pick<Route, "path">): string {
  const inside = path.startsWith("/v1/") ? path.slice("/v1".length) : path;
  const first = inside.split("/")[1]?.split(":")[0] ?? "";
  const tag = tags.find(({ segments }) => segments.includes(first));
  if (tag === undefined) throw new Error(`no tag covers ${path}`);
  return tag.name;
}
