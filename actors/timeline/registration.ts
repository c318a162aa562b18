/** The place where scripts register their timelines, and nothing in it. */
const emptyRegistry =
  /(?:window\s*\.\s*)?__timelines\s*(?:\|\||\?\?)?=\s*(?:(?:window\s*\.\s*)?__timelines\s*(?:\|\||\?\?)\s*)?\{\s*\}/g;

/** Whether a script speaks of `window.__timelines` at all. */
export function speaksOfTimelines(script: string): boolean {
  return script.includes("__timelines");
}

/** Whether it may register one, which is more than to make the place for them. */
export function mayRegister(script: string): boolean {
  return speaksOfTimelines(script.replace(emptyRegistry, ""));
}
