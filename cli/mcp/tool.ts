/** What an agent is offered: a name, what it takes, and what it does with the client. */
import type { Klieg } from "../../clients/typescript/src/klieg.ts";
import { type Check, check, type Static, type Type } from "../../config/schema.ts";
import type { Web } from "../../engine/ports/web.ts";
import type { AgentFolder } from "./agent-folder.ts";

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the agent: when to use it, and what comes back. */
  readonly description: string;
  /** An object's JSON Schema. */
  readonly takes: Type.TObject;
  /** Changes and costs nothing. */
  readonly isReadOnly: boolean;
  readonly faults: Check<unknown>["faults"];
  /** `given` has been checked. Throws `KliegError`. */
  readonly run: (given: unknown, turn: Turn) => Promise<ToolAnswer>;
}

/** Of one call. */
export interface Turn {
  readonly klieg: Klieg;
  readonly signal: AbortSignal;
  /** Where files are read and written; undefined where the agent's program may be elsewhere. */
  readonly folder: AgentFolder | undefined;
  /** For links that the agent gives. */
  readonly web: Web;
  /** Tells the agent's program how far the work is, from 0 to 1. */
  readonly report: (progress: number, message: string) => void;
}

export interface ToolAnswer {
  readonly result: object;
  readonly picture?: { readonly base64: string; readonly mediaType: string };
}

interface Offer<T extends Type.TObject> extends Pick<Tool, "name" | "title" | "description"> {
  readonly takes: T;
  readonly isReadOnly?: true;
  readonly run: (given: Static<T>, turn: Turn) => Promise<object | ToolAnswer>;
}

export function tool<T extends Type.TObject>({ run, isReadOnly, ...offer }: Offer<T>): Tool {
  const checked = check<Static<T>>(offer.takes);
  return {
    ...offer,
    isReadOnly: isReadOnly ?? false,
    faults: (value) => (checked(value) ? [] : checked.faults(value)),
    async run(given, turn) {
      const answer = await run(given as Static<T>, turn);
      return "picture" in answer && "result" in answer ? answer : { result: answer };
    },
  };
}
