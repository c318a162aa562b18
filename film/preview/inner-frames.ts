/// <reference lib="dom" />

/**
 * Warnings about frames inside the page. Each has an origin of its own here, so that nothing of a
 * composition reaches what is around it; therefore the page cannot lead its time, as it does in a
 * render, where all files of the bundle have one origin.
 */
export function warnOfInnerFrames(): readonly string[] {
  return Array.from(document.querySelectorAll("iframe"), (frame) => {
    const name = frame.id === "" ? frame.getAttribute("src") : `iframe#${frame.id}`;
    return `${name ?? "an iframe"}: the preview does not show it at the film's time; the render does`;
  });
}
