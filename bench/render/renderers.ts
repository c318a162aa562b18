import type { Effort } from "../effort.ts";
import type { Tools } from "../tools.ts";
import type { Contestant, Film } from "./films.ts";

/** One way to make a film of a folder. */
export interface Renderer {
  readonly name: Contestant;
  /** Throws when it fails. */
  readonly render: (film: Film, folder: string, output: string) => Promise<Effort>;
}

export interface PeerSetting {
  readonly tools: Tools;
  /** Where peers are installed; kept between runs. */
  readonly packages: string;
  readonly media: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
}

/** Installs the peer where it is not there yet. Throws when that fails. */
export type OpenPeer = (setting: PeerSetting) => Promise<readonly Renderer[]>;
