/** Matches code that makes the place for scripts' timelines, with nothing in it. */
const registry = "(?:window\\s*\\.\\s*)?__timelines\\s*";
const or = "(?:\\|\\||\\?\\?)";
const emptyRegistry = new RegExp(`${registry}${or}?=\\s*(?:${registry}${or}\\s*)?\\{\\s*\\}`, "g");

/** Whether a script mentions `window.__timelines` at all. */
export function speaksOfTimelines(script: string): boolean {
  return script.includes("__timelines");
}

/** Whether a script may register a timeline, beyond making the place for timelines. */
export function mayRegister(script: string): boolean {
  return speaksOfTimelines(script.replace(emptyRegistry, ""));
}
