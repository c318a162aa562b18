import type { FilmPlan } from "../../../film/page/plan.ts";
import type { RenderStage } from "../render-stage.ts";
import { FilmBrowser } from "./film-browser.ts";
import type { FilmSession } from "./film-page-session.ts";

/** Whether pages capture themselves or are captured by the compositor. */
export type PageKind = "self-captured" | "compositor-captured";

/** The pages that capture one film. */
export interface PagePool {
  /** Pages that capture different segments in parallel. */
  readonly sessions: readonly [FilmSession, ...FilmSession[]];
  /** A compositor-captured page with which self-captured pages are compared. */
  readonly reference: FilmSession | undefined;
  /** Ends the browsers of all pages, and with them whatever the pages are doing. */
  close(): Promise<void>;
}

/**
 * Opens one browser per page, because a browser paints its pages one after the other. The reference
 * page, which is seldom used, shares the first page's browser.
 */
export async function openPagePool(
  kind: PageKind,
  plan: FilmPlan,
  pages: number,
  stage: RenderStage,
  isCompared = kind === "self-captured",
): Promise<PagePool> {
  const launching = Array.from({ length: pages }, () => launch(plan, stage));
  const launched = await Promise.allSettled(launching);
  const browsers = launched.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const close = async (): Promise<void> => {
    for (const browser of browsers) await browser.close();
  };
  try {
    const [first] = await Promise.all(launching);
    const [sessions, reference] = await Promise.all([
      Promise.all(browsers.map((browser) => browser.open(kind))),
      isCompared ? first?.open("compositor-captured") : undefined,
    ]);
    return { sessions: atLeastOne(sessions), reference, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

function launch(plan: FilmPlan, stage: RenderStage): Promise<FilmBrowser> {
  const { tools, files, warnings, context } = stage;
  const { browsers, scripts, patience } = tools;
  const setup = { scripts, files, plan, warnings, patience };
  return FilmBrowser.from(browsers, setup, context.signal);
}

function atLeastOne([first, ...others]: readonly FilmSession[]): PagePool["sessions"] {
  if (first === undefined) throw new Error("a film needs a page");
  return [first, ...others];
}
