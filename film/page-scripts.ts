import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExchangeCode } from "./page/plan.ts";

/** The scripts of films' pages. They are part of the program, and each is read once. */
export class PageScripts {
  private readonly folder: string;
  private readonly files = new Map<string, Promise<Buffer>>();

  /** `codeFolder` holds the compiled modules. */
  constructor(codeFolder: string) {
    this.folder = join(codeFolder, "film");
  }

  /** Returns the script that runs before all of the author's. */
  async readOpening(variables: object): Promise<string> {
    const script = await this.text("page/opening.bundle.js");
    return `window.__kliegVariables = ${JSON.stringify(variables)};\n${script}`;
  }

  /** Returns the script that drives the film within its page. */
  async film(): Promise<string> {
    const [film, thread, converter] = await Promise.all([
      this.text("page/film.bundle.js"),
      this.text("page/exchange-thread.bundle.js"),
      this.converter(),
    ]);
    const exchange: ExchangeCode = { thread, converter: converter.toString("base64") };
    return `globalThis.__kliegExchange = ${JSON.stringify(exchange)};\n${film}`;
  }

  /** Returns the first script of a preview's page. */
  async preview(): Promise<string> {
    return this.text("preview/preview.bundle.js");
  }

  /** Returns the first script of a page inside a frame of a preview. */
  async framePage(): Promise<string> {
    return this.text("preview/frame-page.bundle.js");
  }

  /** Returns `planar/planar.wasm`, which converts pixels to planes. */
  converter(): Promise<Buffer> {
    return this.file("page/planar/planar.wasm");
  }

  private async text(name: string): Promise<string> {
    return (await this.file(name)).toString("utf8");
  }

  private file(name: string): Promise<Buffer> {
    const known = this.files.get(name);
    if (known !== undefined) return known;
    const reading = readFile(join(this.folder, name));
    this.files.set(name, reading);
    return reading;
  }
}
