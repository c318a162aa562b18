/** The pages of docs/ that list every setting and every command, made from their declarations. */
import { settingTable } from "../../config/setting-table.ts";
import { groups } from "../command-line.ts";

/** Returns the text of each page, by its path from the root of the repository. */
export function makePages(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/settings.md", makeSettingsPage()],
    ["docs/command-reference.md", makeCommandsPage()],
  ]);
}

const settingsHead = `# Settings

Every setting is an environment variable. A wrong value, or an unknown name that begins with
\`KLIEG_\`, stops the start with a message that says what to set.
`;

function makeSettingsPage(): string {
  const rows = settingTable.map(({ names, meaning, initial }) => [
    names.map((name) => `\`${name}\``).join(", "),
    meaning,
    initial,
  ]);
  return `${settingsHead}\n${formatTable([["Setting", "Meaning", "Default"], ...rows])}`;
}

/** Formats a Markdown table with columns of equal width; the first row is its head. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  const format = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |\n`;
  const [head = [], ...others] = rows;
  const rule = widths.map((width) => "-".repeat(width));
  return [head, rule, ...others].map(format).join("");
}

const commandsHead = `# All commands

What \`klieg help <command>\` prints, for every command. [Command line](commands.md) explains how
they are used together. A command that the service refuses because of load is retried for a while;
with \`--no-wait\` it fails at once.
`;

function makeCommandsPage(): string {
  const sections = groups.map(({ title, commands }) => {
    const entries = commands.map(({ name, usage, summary, options }) => {
      const lines = [`klieg ${name} ${usage}`.trimEnd(), summary];
      if (options.length > 0) lines.push("", ...options.map((line) => `  ${line}`));
      return `### klieg ${name}\n\n\`\`\`text\n${lines.join("\n")}\n\`\`\`\n`;
    });
    return `## ${title}\n\n${entries.join("\n")}`;
  });
  return `${commandsHead}\n${sections.join("\n")}`;
}
