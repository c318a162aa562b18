import type { Cost } from "../machine/cost.ts";
import type { Tools } from "../service/tools.ts";
import type { Contestant, Film } from "./films.ts";

/** One way to make a film of a folder. */
export interface Renderer {
  readonly name: Contestant;
  /** Throws when it fails. */
  readonly render: (film: Film, folder: string, output: string) => Promise<Cost>;
}

export interface PeerSetting {
  readonly tools: Tools;
  /** Where peers are installed, in a folder that is kept between runs. */
  readonly dataDir: string;
  readonly media: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
}

/** Installs the peer where it is not there yet. Throws when that fails. */
export type OpenPeer = (setting: PeerSetting) => Promise<readonly Renderer[]>;
