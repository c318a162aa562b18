import type { Cost } from "../machine/cost.ts";
import type { Tools } from "../service/tools.ts";
import type { Film, RendererName } from "./films.ts";

/** One way to render a folder as a film. */
export interface Renderer {
  readonly name: RendererName;
  /** Renders the film. Throws when that fails. */
  readonly render: (film: Film, folder: string, output: string) => Promise<Cost>;
}

export interface PeerSetting {
  readonly tools: Tools;
  /** Folder in which peers are installed; it is kept between runs. */
  readonly dataDir: string;
  readonly media: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
}

/** Installs the peer if it is missing. Throws when that fails. */
export type OpenPeer = (setting: PeerSetting) => Promise<readonly Renderer[]>;
