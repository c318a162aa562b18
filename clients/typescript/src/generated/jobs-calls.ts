/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type {
  CanceledJobs,
  Job,
  JobCostQuote,
  JobCostRequest,
  JobEvents,
  JobPage,
  JobsCancelManyRequest,
  JobsListQuery,
  SseTicket,
} from "./models.ts";

export class JobsCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Read a job. */
  get(id: string, options: CallOptions = {}): Promise<Job> {
    return this.caller.json<Job>(
      { method: "GET", path: `/jobs/${segment(id)}`, isRepeatable: true },
      options,
    );
  }

  /** List jobs, newest first. */
  list(query: JobsListQuery = {}, options: CallOptions = {}): Promise<JobPage> {
    return this.caller.json<JobPage>(
      { method: "GET", path: "/jobs", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** Quote a submit. */
  quote(request: JobCostRequest, options: CallOptions = {}): Promise<JobCostQuote> {
    return this.caller.json<JobCostQuote>(
      { method: "POST", path: "/jobs/cost", body: request, isRepeatable: true },
      options,
    );
  }

  /** Cancel a job. */
  cancel(id: string, options: CallOptions = {}): Promise<Job> {
    return this.caller.json<Job>(
      { method: "POST", path: `/jobs/${segment(id)}/cancel`, isRepeatable: true },
      options,
    );
  }

  /** Cancel many jobs. */
  cancelMany(
    request: JobsCancelManyRequest = {},
    options: CallOptions = {},
  ): Promise<CanceledJobs> {
    return this.caller.json<CanceledJobs>(
      { method: "POST", path: "/jobs:cancel", body: request, isRepeatable: false },
      options,
    );
  }

  /** Delete a job that has ended, its prompt and its assets. */
  delete(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.caller.end(
      { method: "DELETE", path: `/jobs/${segment(id)}`, isRepeatable: false },
      options,
    );
  }

  /** Read a job's history, oldest first. */
  history(id: string, options: CallOptions = {}): Promise<JobEvents> {
    return this.caller.json<JobEvents>(
      { method: "GET", path: `/jobs/${segment(id)}/events`, isRepeatable: true },
      options,
    );
  }

  /** Mint a ticket for one event stream of a job. */
  ticket(id: string, options: CallOptions = {}): Promise<SseTicket> {
    return this.caller.json<SseTicket>(
      { method: "POST", path: `/jobs/${segment(id)}/sse-ticket`, isRepeatable: true },
      options,
    );
  }
}
