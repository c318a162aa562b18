/**
 * What of a request is stored with its job, so that the job can show later what was accepted: the
 * body after defaulting. Left out is what the row says anyway (model, name, tags, and the prompt
 * under the name that the worker gets it by).
 */
import type { ModelEntry } from "../../config/catalogue.ts";

type Members = Readonly<Record<string, unknown>>;

const elsewhere = ["model", "display_name", "tags", "confirmation_token"];

/** Members of `made` (derived from the request) win over the request; undefined omits a member. */
export function acceptBody(
  properties: Members,
  fixedDefaults: Members,
): (request: Members, model: ModelEntry, made: Members) => Members {
  const names = Object.keys(properties).filter((name) => !elsewhere.includes(name));
  return (request, model, made) => {
    const body: Record<string, unknown> = {};
    for (const name of names) {
      const value = Object.hasOwn(made, name)
        ? made[name]
        : (request[name] ?? model.defaults[name] ?? fixedDefaults[name]);
      if (value !== undefined) body[name] = value;
    }
    return body;
  };
}
