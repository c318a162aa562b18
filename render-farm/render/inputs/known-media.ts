import { limits } from "../../../config/limits.ts";
import { type Looked, lookInto } from "../../media/recordings.ts";
import { computeDigest, type LocalFile } from "../../node/workspace.ts";
import type { MediaTools } from "../../programs/media-tools.ts";

/** Recent descriptions of media by the digest of their bytes, as inspecting starts a program. */
export class KnownMedia {
  private readonly digests = new Map<string, string>();
  private readonly looks = new Map<string, Looked>();

  /** Describes a file. Throws `PortError` when it cannot be decoded. */
  async look(tools: MediaTools, file: LocalFile, signal: AbortSignal): Promise<Looked> {
    const { path, version, mimeType } = file;
    const digest = this.digests.get(version) ?? (await computeDigest(path));
    keepLast(this.digests, version, digest);
    const name = `${mimeType} ${digest}`;
    const looked = this.looks.get(name) ?? (await lookInto(tools, file, signal));
    keepLast(this.looks, name, looked);
    return looked;
  }
}

/** Moves the entry to the end, so that the first one is the least recently used. */
function keepLast<T>(known: Map<string, T>, name: string, value: T): void {
  known.delete(name);
  known.set(name, value);
  const [oldest] = known.keys();
  if (known.size > limits.capture.knownMediaMax && oldest !== undefined) known.delete(oldest);
}
