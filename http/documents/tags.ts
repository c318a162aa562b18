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
    segments: ["tokens", "oauth", ".well-known"],
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
    segments: ["compositions"],
  },
  {
    name: "Renders",
    description: "Follow and cancel renders of compositions, and read what they made.",
    segments: ["renders"],
  },
  {
    name: "Shares",
    description: "Share renders and assets by links, and open them without an account.",
    segments: ["share"],
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
    name: "Documents",
    description: "This document, the types of problems, and links to all other documents.",
    segments: ["", "problems", "openapi.json"],
  },
];

/** First segments of pages for people, of the files that they load, and of previews. */
const pageSegments = [
  "console",
  "console-files",
  "device",
  "docs",
  "look",
  "preview",
  "share-viewer.js",
];

/**
 * Whether a route is part of the published contract. Pages for people and the files that they load
 * are not: a program has no use for them.
 */
export function isPublished({ path }: Pick<Route, "path">): boolean {
  return path.startsWith("/v1/") || !pageSegments.includes(getFirstSegment(path));
}

/** Finds the tag of a published route. Throws for a path that no tag covers. */
export function findTag({ path }: Pick<Route, "path">): string {
  const inside = path.startsWith("/v1/") ? path.slice("/v1".length) : path;
  const first = inside.includes("/share") ? "share" : getFirstSegment(inside);
  const tag = tags.find(({ segments }) => segments.includes(first));
  if (tag === undefined) throw new Error(`no tag covers ${path}`);
  return tag.name;
}

function getFirstSegment(path: string): string {
  return path.split("/")[1]?.split(":")[0] ?? "";
}
