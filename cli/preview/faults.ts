import { PortError } from "../../engine/ports/port-error.ts";
import { RefusalError } from "../../http/exchange/refusal-error.ts";
import { buildProblem } from "../../http/problems/problems.ts";

/** Describes an error as a sentence for the user who views the folder. */
export function faultSentence(error: unknown): string {
  if (error instanceof RefusalError) {
    const { detail, title } = buildProblem(error.refusal);
    return detail ?? `${title}.`;
  }
  if (error instanceof PortError)
    return error.retryable
      ? "A file of the folder cannot be read at the moment."
      : `The folder cannot be shown: ${error.message}.`;
  return error instanceof Error ? error.message : String(error);
}
