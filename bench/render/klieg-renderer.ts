import { writeFile } from "node:fs/promises";
import { createArchive } from "../../cli/folder-archive.ts";
import { folderFiles } from "../../cli/folder-files.ts";
import type { RenderRequest } from "../../clients/typescript/src/generated/models.ts";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import type { Quality } from "../../contract/render.ts";
import { type Cost, type Looks, watchCost } from "../machine/cost.ts";
import type { Subject } from "../service/server-process.ts";
import type { Renderer } from "./renderers.ts";

/** Renders with Klieg over HTTP: sends the folder as one archive, follows the render to its end. */
export class KliegRenderer {
  private readonly subject: Subject;
  private readonly client: Klieg;
  private readonly looks: Looks | undefined;
  private readonly compositions = new Map<string, Promise<string>>();

  constructor(subject: Subject, looks?: Looks) {
    this.subject = subject;
    this.looks = looks;
    this.client = new Klieg({ url: subject.origin, token: subject.token, surface: "api" });
  }

  /** Measures from the submit to the end of the render; the download afterwards does not count. */
  async render(
    folder: string,
    request: RenderRequest,
    output: string,
    looks = this.looks,
  ): Promise<Cost> {
    const composition = await this.composition(folder);
    const renderFilm = async () => {
      const { id } = await this.client.compositions.render(composition, request);
      for await (const event of this.client.renders.stream(id))
        if (event.event === "complete") break;
      return this.client.renders.get(id);
    };
    const { result, cost } = await watchCost(this.subject.pid, renderFilm, looks);
    if (result.status !== "succeeded" || typeof result.asset_id !== "string")
      throw new Error(result.error ?? "the render failed");
    const answer = await this.client.assets.download(result.asset_id);
    await writeFile(output, Buffer.from(await answer.arrayBuffer()));
    return cost;
  }

  of(quality: Exclude<Quality, "high">): Renderer {
    return {
      name: `klieg ${quality}`,
      render: (_, folder, output) => this.render(folder, { quality }, output),
    };
  }

  /** Uploads the composition once, before any clock runs. */
  private composition(folder: string): Promise<string> {
    const known = this.compositions.get(folder);
    if (known !== undefined) return known;
    const made = (async () => {
      const { id } = await this.client.compositions.create({ name: "bench" });
      const files = await folderFiles(folder);
      await this.client.compositions.replaceBundle(id, () => createArchive(files));
      return id;
    })();
    this.compositions.set(folder, made);
    return made;
  }
}
