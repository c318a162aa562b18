/** `klieg token create`, `list`, `revoke`: the account's personal access tokens. */
import { parseArgs } from "node:util";
import { type TokenScope, tokenScopes } from "../contract/account.ts";
import { type Command, onlyArgument, type Session, UsageError, wholeNumber } from "./command.ts";

export const tokenCreate: Command = {
  name: "token create",
  usage: "<name> [options]",
  summary: "Create a personal access token.",
  options: [
    "--scopes A,B          what it may do (all but admin and tokens)",
    "--expires-in-days N   1 to 365, or never (90)",
    "--organization ID     where it acts whatever is active",
    "--json                print the token object",
  ],
  run: create,
};

export const tokenList: Command = {
  name: "token list",
  usage: "[--json]",
  summary: "List the account's active personal access tokens.",
  options: ["--json  print it as JSON"],
  async run(args, { client, terminal }) {
    const { values } = parseArgs({ args: [...args], options: { json } });
    const page = await (await client()).tokens.list();
    if (values.json) return terminal.print(JSON.stringify(page));
    for (const { id, name, expires_at: expires, last_used_at: used } of page.items)
      terminal.print([id, expires ?? "never expires", used ?? "never used", name].join("  "));
  },
};

export const tokenRevoke: Command = {
  name: "token revoke",
  usage: "<token id>",
  summary: "Revoke a personal access token.",
  options: [],
  async run(args, { client, terminal }) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    const id = onlyArgument(positionals, "the token's id");
    await (await client()).tokens.revoke(id);
    terminal.say(`The token ${id} is revoked.\n`);
  },
};

const json = { type: "boolean", default: false } as const;

async function create(args: readonly string[], { client, terminal }: Session): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      scopes: { type: "string" },
      "expires-in-days": { type: "string" },
      organization: { type: "string" },
      json,
    },
  });
  const days = values["expires-in-days"];
  const made = await (await client()).tokens.create({
    name: onlyArgument(positionals, "the token"),
    scopes: parseScopes(values.scopes),
    expires_in_days: days === "never" ? null : wholeNumber(days, "--expires-in-days"),
    organization_id: values.organization,
  });
  if (values.json) terminal.print(JSON.stringify(made));
  else {
    terminal.print(made.token);
    terminal.say("The token is shown only this once.\n");
  }
}

/** Throws `UsageError`. */
function parseScopes(text: string | undefined): TokenScope[] | undefined {
  return text?.split(",").map((name) => {
    const scope = tokenScopes.find((known) => known === name.trim());
    if (scope !== undefined) return scope;
    throw new UsageError(`--scopes contains "${name}"; the scopes are ${tokenScopes.join(", ")}.`);
  });
}
