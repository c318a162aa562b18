/** A hostile page, and what becomes of it. */
import { setTimeout as delay } from "node:timers/promises";
import { childProcesses, isBrowsers } from "./child-processes.ts";
import { composition, type Files, type FilmBench } from "./film-bench.ts";

/** A white square in the upper left corner. */
export const square = `<div id="b" class="clip" data-start="0" data-duration="9"
  style="left:0;top:0;width:100px;height:100px;background:#fff"></div>`;

/** Wraps a script so that it runs in the middle of the film. */
export const inFrame = (script: string): string =>
  `<script>requestAnimationFrame(function go() {
    if (performance.now() > 100) { ${script} } requestAnimationFrame(go); });</script>`;

/** Returns why the render failed, or nothing if it was filmed; either way its browser is gone. */
export async function renderToFate(
  bench: FilmBench,
  html: string,
  more: Files = {},
): Promise<string> {
  const files = { ...composition(square + html, 'data-duration="0.4"'), ...more };
  const outcome = await bench.run(bench.worker, await bench.readInput(files));
  while (childProcesses().some(isBrowsers)) await delay(20);
  return outcome.kind === "failed" ? outcome.message : "";
}
