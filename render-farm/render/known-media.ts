import type { MediaTools } from "../media-tools.ts";
import { type Looked, lookInto } from "../recordings.ts";
import type { LocalFile } from "../workspace.ts";

/** What a node found in media lately, by the digest of their bytes: a look starts a program. */
export class KnownMedia {
  readonly #tools: MediaTools;
  readonly #looks = new Map<string, Looked>();

  constructor(tools: MediaTools) {
    this.#tools = tools;
  }

  /** Throws `PortError` for what cannot be decoded. */
  async look(file: LocalFile, signal: AbortSignal): Promise<Looked> {
    const name = `${file.mimeType} ${file.sha256}`;
    const looked = this.#looks.get(name) ?? (await lookInto(this.#tools, file, signal));
    // The last used come last.
    this.#looks.delete(name);
    this.#looks.set(name, looked);
    const [oldest] = this.#looks.keys();
    if (this.#looks.size > knownMax && oldest !== undefined) this.#looks.delete(oldest);
    return looked;
  }
}

const knownMax = 1_000;
