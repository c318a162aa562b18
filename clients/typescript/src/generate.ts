import type { SubmitOptions } from "./caller.ts";
import { GenerateCalls } from "./generated/generate-calls.ts";
import type { Job } from "./generated/models.ts";

/** The kinds of generation that create one job each. */
export type Generation =
  | "image"
  | "video"
  | "audio"
  | "threeD"
  | "removeBackground"
  | "restoreVideo";

/** Calls that submit generations. */
export class Generate extends GenerateCalls {
  /** Submits a request that was assembled at run time, such as by a form. */
  submit(what: Generation, request: object, options: SubmitOptions = {}): Promise<Job> {
    // The service validates the request, as it does every other.
    return this[what](request as never, options);
  }
}
