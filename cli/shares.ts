/** `klieg share`, `share list` and `share revoke`: links that show results without an account. */
import { parseArgs } from "node:util";
import { count } from "../actors/count.ts";
import type { ShareLink } from "../clients/typescript/src/generated/models.ts";
import { KliegError } from "../clients/typescript/src/klieg.ts";
import {
  type Command,
  onlyArgument,
  optionLine,
  type Session,
  UsageError,
  wholeNumber,
} from "./command.ts";

const target = "the render or asset";
const json = { type: "boolean", default: false } as const;

export const share: Command = {
  name: "share",
  usage: "<render or asset id> [options]",
  summary: "Make a public link to a render or an asset.",
  options: [
    optionLine("--days N", "until it expires, 1 to 365 (never)"),
    optionLine("--password TEXT", "that they must give, 4 to 128 characters"),
    optionLine("--view-only", "without a download"),
    optionLine("--name TEXT", "the title of its page"),
    optionLine("--json", "print the link as JSON"),
  ],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        days: { type: "string" },
        password: { type: "string" },
        "view-only": { type: "boolean", default: false },
        name: { type: "string" },
        json,
      },
    });
    const id = onlyArgument(positionals, target);
    const request = {
      expires_in_days: wholeNumber(values.days, "--days"),
      password: values.password,
      view_only: values["view-only"] || undefined,
      name: values.name,
    };
    const client = await session.client();
    const link = await ofTarget((target) => client.shares.create(target, id, request));
    if (values.json) return session.terminal.print(JSON.stringify(link));
    session.terminal.print(link.url ?? "");
    session.terminal.say("The link is shown only this once.\n");
  },
};

export const shareList: Command = {
  name: "share list",
  usage: "<render or asset id> [--json]",
  summary: "List the active links of a render or an asset, newest first.",
  options: [optionLine("--json", "print them as JSON")],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json },
    });
    const id = onlyArgument(positionals, target);
    const client = await session.client();
    const list = await ofTarget((target) => client.shares.list(target, id));
    if (values.json) return session.terminal.print(JSON.stringify(list));
    for (const link of list.items) session.terminal.print(describe(link));
  },
};

export const shareRevoke: Command = {
  name: "share revoke",
  usage: "<render or asset id> <link id or token>",
  summary: "Revoke a link.",
  options: [],
  run: revoke,
};

async function revoke(args: readonly string[], session: Session): Promise<void> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
  const [id, link, ...more] = positionals;
  if (id === undefined || link === undefined || more.length > 0)
    throw new UsageError("Name the render or asset, and the link's id or token.");
  const client = await session.client();
  await ofTarget((target) => client.shares.revoke(target, id, link));
  session.terminal.say("The link is revoked.\n");
}

/** An id does not say what it names: if it is no render, it must be an asset. */
async function ofTarget<T>(act: (target: "renders" | "assets") => Promise<T>): Promise<T> {
  try {
    return await act("renders");
  } catch (fault) {
    if (!(fault instanceof KliegError) || fault.status !== 404) throw fault;
    return act("assets");
  }
}

function describe(link: ShareLink): string {
  const { id, token_prefix: prefix, expires_at: expires, access_count: visits, name } = link;
  return [
    id,
    `${prefix}...`,
    expires ?? "never expires",
    ...(link.has_password ? ["password"] : []),
    ...(link.view_only ? ["view only"] : []),
    count(visits, "visit"),
    name,
  ].join("  ");
}
