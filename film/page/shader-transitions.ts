/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

import { facesUsed } from "./fonts.ts";
import type { FilmWindow } from "./plan.ts";

/**
 * `@hyperframes/shader-transitions` mixes two scenes in WebGL. Filmed, it says that it is due when
 * it is sought, takes copies of the scenes into canvases that paint their children
 * (`prepare`), and when those are painted draws the mix over the page (`resolve`).
 */
interface Packages extends FilmWindow {
  readonly __hf_page_composite_pending?: boolean;
  readonly __hf_page_composite_prepare?: () => Promise<boolean>;
  readonly __hf_page_composite_resolve?: () => boolean;
  /** Set by the package once it tries to mix scenes. */
  readonly __HF_PAGE_COMPOSITOR_CANARY__?: string;
}

declare const window: Packages;

interface StagingCanvas extends HTMLCanvasElement {
  requestPaint(): void;
}

const name = "@hyperframes/shader-transitions";
/** How often the package checks whether it can wrap the `seek`. */
export const bridgeMs = 60;

export function hasShaderTransitions(): boolean {
  return window.__hf_page_composite_resolve !== undefined;
}

/** Returns why a film would not show what the package's author sees; undefined if it would. */
export function findRefusedPackage(): string | undefined {
  if (hasShaderTransitions()) return undefined;
  const isTried = window.__HF_PAGE_COMPOSITOR_CANARY__ !== undefined;
  const probe = document.createElement("canvas");
  if (isTried) return probe.getContext("webgl") === null ? `${name} needs WebGL` : undefined;
  if (window.__kliegBridge !== undefined)
    return `this version of ${name} cannot be filmed here; use 0.8.41 or later`;
  const isCalled = [...document.scripts].some(({ text }) => /HyperShader\s*\.\s*init/.test(text));
  const isThere = typeof Reflect.get(window, "HyperShader") === "object";
  // If a script threw on the way, its own error is reported.
  const isMeant = isCalled && isThere && !window.__kliegClock.hasFaults();
  return isMeant ? `this version of ${name} only plays in a preview` : undefined;
}

/** Mixes two scenes in a frame that belongs to a transition. */
export async function mixScenes(): Promise<void> {
  if (window.__hf_page_composite_pending !== true) return;
  if ((await window.__hf_page_composite_prepare?.()) !== true) return;
  const stagings = [...document.querySelectorAll("canvas[layoutsubtree]")].filter(isStaging);
  for (const staging of stagings) {
    bringHome(staging);
    copyCanvases(staging);
  }
  // The first painting lays the copies out, which may need fonts that the scenes do not use.
  await paintAll(stagings);
  await facesUsed();
  await paintAll(stagings);
  window.__hf_page_composite_resolve?.();
}

function paintAll(stagings: readonly StagingCanvas[]): Promise<unknown> {
  const painted = stagings.map(
    (staging) =>
      new Promise((resolve) => {
        staging.addEventListener("paint", resolve, { once: true });
        staging.requestPaint();
      }),
  );
  return Promise.all(painted);
}

function isStaging(canvas: Element): canvas is StagingCanvas {
  return "requestPaint" in canvas && canvas.firstElementChild !== null;
}

/** Moves a copy to its scene's parent, since it needs the same styles to look the same. */
function bringHome(staging: StagingCanvas): void {
  const home = sceneFor(staging)?.parentElement;
  if (home !== null && home !== undefined && staging.parentElement !== home) home.append(staging);
}

/** Returns the first element with the id, which is the scene; its copies come later. */
function sceneFor({ firstElementChild: copy }: StagingCanvas): HTMLElement | null {
  return copy === null ? null : document.getElementById(copy.id);
}

/** Fills the copied canvases, which are empty; videos are shown in canvases too. */
function copyCanvases(staging: StagingCanvas): void {
  const copy = staging.firstElementChild;
  const scene = sceneFor(staging);
  const sources = [...(scene?.querySelectorAll("canvas") ?? [])];
  for (const [at, canvas] of [...(copy?.querySelectorAll("canvas") ?? [])].entries()) {
    const source = sources[at];
    if (source !== undefined && source.width > 0 && source.height > 0)
      canvas.getContext("2d")?.drawImage(source, 0, 0);
  }
}
