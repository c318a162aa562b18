/**
 * The guides: Markdown files of the build, converted to HTML once. Each heading has an id, by which
 * links and the search lead to its section.
 */
import { readFileSync } from "node:fs";
import { Marked, type Token, type Tokens } from "marked";
import { requireFound } from "../exchange/refusal-error.ts";

export interface Guide {
  readonly slug: string;
  readonly title: string;
  /** What the guide is about, in a few words. */
  readonly about: string;
}

export interface Section {
  /** Id of the heading; empty for text before the first heading. */
  readonly id: string;
  readonly title: string;
  /** Text of the section, without markup. */
  readonly text: string;
}

export interface Chapter extends Guide {
  readonly html: string;
  readonly sections: readonly Section[];
}

/** The guides, in the order in which a newcomer reads them. */
export const guides: readonly Guide[] = [
  { slug: "start", title: "First steps", about: "A picture and a film in five minutes" },
  { slug: "concepts", title: "Concepts", about: "What the words mean, and what is durable" },
  { slug: "generations", title: "Generations", about: "Pictures, videos, sound and 3D" },
  { slug: "client", title: "Client authors", about: "Jobs, streams, retries and credits" },
  { slug: "composition", title: "Composition authors", about: "HTML timelines that become films" },
  { slug: "sharing", title: "Sharing and exports", about: "Links, and files for other programs" },
  { slug: "credits", title: "Credits", about: "Prices, plans and organizations" },
  { slug: "commands", title: "Command line", about: "klieg, previews, tools for agents" },
  { slug: "command-reference", title: "All commands", about: "Every command and its options" },
  { slug: "load-testing", title: "Load testers", about: "Measure it, without spending anything" },
  { slug: "operator", title: "Operators", about: "Monitor, scale, back up, recover" },
  { slug: "settings", title: "Settings", about: "Every environment variable" },
  { slug: "providers", title: "Providers", about: "Models that run outside Klieg" },
  { slug: "gpu", title: "Your own GPU", about: "ComfyUI and others, step by step" },
  { slug: "farm", title: "Farm nodes", about: "More machines for films" },
  { slug: "cluster", title: "Clusters", about: "Several nodes as one service" },
  { slug: "faq", title: "Questions", about: "Webhooks, retries, upgrades, data" },
  { slug: "testing", title: "Testing", about: "For people who change Klieg" },
];

const folder = new URL("../../docs/", import.meta.url);
const chapters = new Map<string, Chapter>();

/** Throws `RefusalError` with 404 when no guide has the slug. */
export function readChapter(slug: string): Chapter {
  const known = chapters.get(slug);
  if (known !== undefined) return known;
  const guide = requireFound(guides.find((one) => one.slug === slug));
  const chapter = { ...guide, ...compile(readFileSync(new URL(`${slug}.md`, folder), "utf8")) };
  chapters.set(slug, chapter);
  return chapter;
}

function compile(markdown: string): Pick<Chapter, "html" | "sections"> {
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const content = this.parser.parseInline(tokens);
        return `<h${depth} id="${findAnchor(text)}">${content}</h${depth}>\n`;
      },
      // Other files of the repository are not served, so only the words of the link remain.
      link(token) {
        if (token.href.startsWith("../")) return this.parser.parseInline(token.tokens);
        token.href = resolveLink(token.href);
        return false;
      },
      // Wide code blocks scroll on their own, and must be reachable by keyboard for that.
      code({ text, lang }) {
        const code = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
        return `<pre tabindex="0" data-language="${lang ?? ""}"><code>${code}\n</code></pre>\n`;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  return { html: marked.parser(tokens), sections: listSections(tokens) };
}

/** Links between guides name files, so that they work on a forge too; served, they name pages. */
function resolveLink(href: string): string {
  return href.replace(/^([a-z-]+)\.md(?=#|$)/, "/docs/$1");
}

function findAnchor(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

function listSections(tokens: readonly Token[]): readonly Section[] {
  const sections: { id: string; title: string; text: string }[] = [];
  for (const token of tokens) {
    if (isHeading(token))
      sections.push({ id: findAnchor(token.text), title: token.text, text: "" });
    const last = sections.at(-1);
    if (last !== undefined && !isHeading(token)) last.text += ` ${token.raw}`;
  }
  return sections.map(({ text, ...rest }) => ({ ...rest, text: plain(text) }));
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

function plain(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/[`*_|#[\]]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
