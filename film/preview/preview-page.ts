/** Turns markup of a bundle into a page for the frame of a preview. */
import { stampTags } from "../../timeline/markup.ts";
import { entryPage, withOpening } from "../markup/entry-page.ts";
import { openRoots } from "../markup/open-roots.ts";

export interface PageTask {
  readonly text: string;
  /** Address of the bundle, with a slash at its end. */
  readonly base: string;
  /** Options of the film's own page; undefined for other pages. */
  readonly entry:
    | { readonly styled: readonly string[]; readonly mayNameFaces: boolean }
    | undefined;
  /** Whether the page is shown in a frame, so that its time is the film's. */
  readonly isFrame: boolean;
}

export async function previewPage({ text, base, entry, isFrame }: PageTask): Promise<string> {
  const ownFolder = `${base}.klieg/`;
  const script = (name: string) => `<script src="${ownFolder}${name}"></script>`;
  if (entry === undefined) {
    const page = withinReach(openRoots(stampTags(text)), base);
    return isFrame ? withOpening(page, script("frame-page.js") + script("opening.js")) : page;
  }
  const page = await entryPage({ text, ...entry, ownFolder });
  const opening = script("preview.js") + script("opening.js");
  return withOpening(withinReach(page, base), opening);
}

/**
 * Redirects addresses that begin at the root to the bundle. In a sandbox every file is of another
 * origin, and its contents can be read only when it is requested with CORS.
 */
function withinReach(page: string, base: string): string {
  const asked = page.replace(
    /<(link|script|img|video|audio)(?=[\s>])/gi,
    // Without quotes, because it may be in an attribute that holds the page of a frame.
    "<$1 crossorigin=anonymous",
  );
  return asked.replace(rooted, (whole, before: string, at: number) =>
    asked.startsWith(base, at + before.length) ? whole : `${before}${base}`,
  );
}

const rooted = /(\s(?:src|href|poster)\s*=\s*["']?|url\(\s*["']?)\/(?!\/)/gi;
