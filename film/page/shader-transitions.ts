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
  /** Set once it tries to mix. */
  readonly __HF_PAGE_COMPOSITOR_CANARY__?: string;
}

declare const window: Packages;

interface StagingCanvas extends HTMLCanvasElement {
  requestPaint(): void;
}

const name = "@hyperframes/shader-transitions";
/** It looks every so often whether it can wrap the seek. */
export const bridgeMs = 60;

export function hasShaderTransitions(): boolean {
  return window.__hf_page_composite_resolve !== undefined;
}

/** Why a film of the package would not show what its author sees. */
export function findRefusedPackage(): string | undefined {
  if (hasShaderTransitions()) return undefined;
  const isTried = window.__HF_PAGE_COMPOSITOR_CANARY__ !== undefined;
  const probe = document.createElement("canvas");
  if (isTried) return probe.getContext("webgl") === null ? `${name} needs WebGL` : undefined;
  if (window.__kliegBridge !== undefined)
    return `this version of ${name} cannot be filmed here; take 0.8.41 or later`;
  const isCalled = [...document.scripts].some(({ text }) => /HyperShader\s*\.\s*init/.test(text));
  const isThere = typeof Reflect.get(window, "HyperShader") === "object";
  // One that threw on the way says so itself.
  const isMeant = isCalled && isThere && !window.__kliegClock.hasFaults();
  return isMeant ? `this version of ${name} only plays in a preview` : undefined;
}

/** In a frame that belongs to a transition. */
export async function mixScenes(): Promise<void> {
  if (window.__hf_page_composite_pending !== true) return;
  if ((await window.__hf_page_composite_prepare?.()) !== true) return;
  const stagings = [...document.querySelectorAll("canvas[layoutsubtree]")].filter(isStaging);
  for (const staging of stagings) {
    bringHome(staging);
    copyCanvases(staging);
  }
  // A first painting lays the copies out, which may ask for faces that the scenes have not used.
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

/** A copy looks like its scene only where it has the same styles around it. */
function bringHome(staging: StagingCanvas): void {
  const home = sceneFor(staging)?.parentElement;
  if (home !== null && home !== undefined && staging.parentElement !== home) home.append(staging);
}

/** The first of that name; copies come after it. */
function sceneFor({ firstElementChild: copy }: StagingCanvas): HTMLElement | null {
  return copy === null ? null : document.getElementById(copy.id);
}

/** A copy of a canvas is empty; videos are shown in such. */
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
