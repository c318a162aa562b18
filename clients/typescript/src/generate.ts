import type { SubmitOptions } from "./caller.ts";
import { GenerateCalls } from "./generated/generate-calls.ts";
import type { Job } from "./generated/models.ts";

/** What yields one job. */
export type Generation =
  | "image"
  | "video"
  | "audio"
  | "threeD"
  | "removeBackground"
  | "restoreVideo";

/** Submitting generations. */
export class Generate extends GenerateCalls {
  /** A request that was put together while the program runs, such as by a form. */
  submit(what: Generation, request: object, options: SubmitOptions = {}): Promise<Job> {
    // The service checks it, as it does every request.
    return this[what](request as never, options);
  }
}
