import type { FilmPlan } from "../../../film/page/plan.ts";
import type { RenderStage } from "../render-stage.ts";
import { FilmBrowser } from "./film-browser.ts";
import type { FilmSession } from "./film-page-session.ts";

/** Whether pages draw themselves or are painted by the compositor. */
export type PageKind = "self-captured" | "compositor-captured";

/** The pages of one film. */
export interface PagePool {
  /** They film side by side. */
  readonly sessions: readonly [FilmSession, ...FilmSession[]];
  /** A page captured by the compositor that those that capture themselves are compared with. */
  readonly reference: FilmSession | undefined;
  /** Ends their browsers, and with them whatever they are doing. */
  close(): Promise<void>;
}

/**
 * A browser for each page, because a browser paints its pages one after the other; the reference,
 * which is seldom asked, shares the first one's.
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
