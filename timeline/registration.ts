/** The place where scripts register their timelines, and nothing in it. */
const registry = "(?:window\\s*\\.\\s*)?__timelines\\s*";
const or = "(?:\\|\\||\\?\\?)";
const emptyRegistry = new RegExp(`${registry}${or}?=\\s*(?:${registry}${or}\\s*)?\\{\\s*\\}`, "g");

/** Whether a script speaks of `window.__timelines` at all. */
export function speaksOfTimelines(script: string): boolean {
  return script.includes("__timelines");
}

/** Whether it may register one, which is more than to make the place for them. */
export function mayRegister(script: string): boolean {
  return speaksOfTimelines(script.replace(emptyRegistry, ""));
}
