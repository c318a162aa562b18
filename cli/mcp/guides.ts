/** Texts for an agent that writes a composition: the film format, and an example. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Guide {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mediaType: string;
  readonly read: () => Promise<string>;
}

const root = join(import.meta.dirname, "../../..");

export const guides: readonly Guide[] = [
  {
    uri: "klieg://docs/composition.md",
    name: "composition-format",
    title: "The format of compositions: what works in a film, and what does not",
    mediaType: "text/markdown",
    read: () => readFile(join(root, "docs/composition.md"), "utf8"),
  },
  {
    uri: "klieg://examples/title-card/index.html",
    name: "title-card",
    title: "An example: a title card of six seconds",
    mediaType: "text/html",
    read: () => readFile(join(root, "examples/title-card/index.html"), "utf8"),
  },
];
