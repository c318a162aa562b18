/** Tools for compositions (folders of HTML and media), and for films and stills of them. */

import { Type } from "../../config/schema.ts";
import { strict, Uuid } from "../../contract/common.ts";
import { CreateCompositionRequest } from "../../contract/composition.ts";
import { RenderRequest } from "../../contract/render.ts";
import { type Tool, tool } from "./tool.ts";
import { forSeconds, timeoutSeconds, waitSecondsUsual } from "./waiting.ts";

const { Optional } = Type;
const composition = { composition_id: Uuid };
const file = {
  ...composition,
  path: Type.String({ minLength: 1, maxLength: 512, description: "For example index.html." }),
};
/** Limit for a text file, which is already more than an agent can read. */
const textCharsMax = 1_048_576;

export const compositionTools: readonly Tool[] = [
  tool({
    name: "list_compositions",
    title: "List compositions",
    description: "Compositions, newest first.",
    isReadOnly: true,
    takes: strict({
      limit: Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      cursor: Optional(Type.String({ description: "next_cursor of the previous page." })),
      q: Optional(Type.String({ description: "Text that the name contains." })),
    }),
    run: (given, { klieg, signal }) => klieg.compositions.list(given, { signal }),
  }),
  tool({
    name: "create_composition",
    title: "Create a composition",
    description:
      "Makes a composition: an HTML page with a timeline in the HyperFrames format, which becomes a " +
      "film. With template blank_html it begins with a page to build on; then write its files. " +
      "The format is the resource klieg://docs/composition.md.",
    takes: CreateCompositionRequest,
    run: (given, { klieg, signal }) => klieg.compositions.create(given, { signal }),
  }),
  tool({
    name: "get_composition",
    title: "Read a composition",
    description: "A composition with the list of its files, its size and its length.",
    isReadOnly: true,
    takes: strict(composition),
    run: ({ composition_id: id }, { klieg, signal }) => klieg.compositions.get(id, { signal }),
  }),
  tool({
    name: "read_composition_file",
    title: "Read a file of a composition",
    description: "The text of a file of a composition.",
    isReadOnly: true,
    takes: strict(file),
    async run({ composition_id: id, path }, { klieg, signal }) {
      const answer = await klieg.compositions.getFile(id, path, { signal });
      const text = await answer.text();
      return { path, text: text.slice(0, textCharsMax), is_whole: text.length <= textCharsMax };
    },
  }),
  tool({
    name: "write_composition_file",
    title: "Write a file of a composition",
    description: "Stores a text file in a composition, replacing any file at that path.",
    takes: strict({ ...file, text: Type.String({ maxLength: textCharsMax }) }),
    run: ({ composition_id: id, path, text }, { klieg, signal }) =>
      klieg.compositions.putFile(id, path, new Blob([text]), { signal }),
  }),
  tool({
    name: "get_timeline",
    title: "Read a composition's timeline",
    description: "What a film of the composition shows and when, with any problems found.",
    isReadOnly: true,
    takes: strict(composition),
    run: ({ composition_id: id }, { klieg, signal }) => klieg.compositions.timeline(id, { signal }),
  }),
  tool({
    name: "render_composition",
    title: "Render a composition",
    description:
      "Renders a composition to a film, or with target still to a picture of one frame. Returns the " +
      "render at once; follow it with wait_for_render.",
    takes: strict({
      ...composition,
      target: RenderRequest.properties.target,
      quality: RenderRequest.properties.quality,
      still: RenderRequest.properties.still,
    }),
    run: ({ composition_id: id, ...request }, { klieg, signal }) =>
      klieg.compositions.render(id, request, { signal }),
  }),
  tool({
    name: "wait_for_render",
    title: "Wait for a render",
    description:
      "Waits until a render has ended and returns it with the asset that it made. If the time runs out " +
      "first, it returns the render as it is: call this again.",
    isReadOnly: true,
    takes: strict({ render_id: Uuid, timeout_seconds: timeoutSeconds }),
    async run({ render_id: id, timeout_seconds: seconds = waitSecondsUsual }, turn) {
      const { klieg, signal, report } = turn;
      await forSeconds(seconds, signal, async (ended) => {
        for await (const { data } of klieg.renders.stream(id, { signal: ended }))
          report(("progress" in data && data.progress) || 0, data.status);
      });
      const render = await klieg.renders.get(id, { signal });
      if (render.status === "succeeded") report(1, render.status);
      if (!render.asset_id) return render;
      return { ...render, asset: await klieg.assets.get(render.asset_id, { signal }) };
    },
  }),
];
