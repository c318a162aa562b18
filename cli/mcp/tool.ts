/** The type of a tool for agents: its name, its arguments, and what it does with the client. */
import type { Klieg } from "../../clients/typescript/src/klieg.ts";
import { type Check, check, type Static, type Type } from "../../config/schema.ts";
import type { Web } from "../../engine/ports/web.ts";
import type { AgentFolder } from "./agent-folder.ts";

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Tells the agent when to use the tool and what it returns. */
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly takes: Type.TObject;
  /** Whether the tool changes nothing and costs nothing. */
  readonly isReadOnly: boolean;
  readonly faults: Check<unknown>["faults"];
  /** Runs the tool; `given` has been checked already. Throws `KliegError`. */
  readonly run: (given: unknown, turn: Turn) => Promise<ToolAnswer>;
}

/** What one call of a tool can use. */
export interface Turn {
  readonly klieg: Klieg;
  readonly signal: AbortSignal;
  /** Folder for reading and writing files; undefined if the agent's program may be elsewhere. */
  readonly folder: AgentFolder | undefined;
  /** Fetches links that the agent passes. */
  readonly web: Web;
  /** Reports the progress to the agent's program, from 0 to 1. */
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
