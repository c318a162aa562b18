/**
 * Views of jobs for clients, from fresh rows or tables. The text of a view is kept for the next
 * poll until a row of its job changes; its links are signed anew before half of their lifetime is
 * over.
 */

import { assetView } from "../../actors/asset/asset-view.ts";
import { jobView, viewRequest } from "../../actors/job/job-view.ts";
import { type Asset, assetKey } from "../../actors/protocol/asset.ts";
import { type Job, type JobRequest, jobKey, jobRequestKey } from "../../actors/protocol/job.ts";
import { codes } from "../../actors/table-codes.ts";
import { limits } from "../../config/limits.ts";
import { deleteOldest } from "../../engine/delete-oldest.ts";
import type { Gateway } from "../../engine/gateway.ts";
import type { Id } from "../../engine/id.ts";
import { getCode, type Key } from "../../engine/key.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { isNear } from "../auth/own-id.ts";
import type { SignedUrls } from "../auth/signed-urls.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

/** Both rows of a job that the caller may see. */
export interface Found {
  readonly request: JobRequest;
  readonly job: Job;
}

/** Text of a job's view; `etag` is undefined when the view carries signed links. */
export interface JobText extends Found {
  readonly scope: Id;
  readonly text: string;
  readonly etag: string | undefined;
  readonly staleMs: number;
  /** The view with the accepted request behind it, from when it is asked for first. */
  detail: string | undefined;
}

export class JobReads {
  private readonly gateway: Gateway;
  private readonly signedUrls: SignedUrls;
  private readonly clock: Clock;
  private readonly problems: string;
  private readonly textByJob = new Map<Key, JobText>();
  /** The job whose text shows an asset, by the asset; cleared with the texts. */
  private readonly jobByAsset = new Map<Key, Key>();

  constructor(gateway: Gateway, signedUrls: SignedUrls, clock: Clock, problems: string) {
    this.gateway = gateway;
    this.signedUrls = signedUrls;
    this.clock = clock;
    this.problems = problems;
  }

  /** Throws `RefusalError` with 404 for a job that is unknown or another scope's. */
  find(job: Id, scope: Id): Found {
    const found = this.look(job, scope);
    if (found === undefined) throw new RefusalError({ code: "not_found" });
    return found;
  }

  look(id: Id, scope: Id): Found | undefined {
    return isNear(scope, id) ? this.lookAt(jobKey(id), scope) : undefined;
  }

  /** Finds the job by the key of its head; undefined when it may not be seen. */
  lookAt(key: Key<Job>, scope: Id): Found | undefined {
    const known = this.textByJob.get(key);
    if (known !== undefined) return known.scope === scope ? known : undefined;
    const job = this.gateway.read(key);
    if (job?.terms.scope !== scope) return undefined;
    const request = this.gateway.read(jobRequestKey(job.terms.job));
    return request && { request, job };
  }

  /** Like `find`, with the view as text. */
  text(job: Id, scope: Id): JobText {
    const known = this.textByJob.get(jobKey(job));
    const isFresh = known?.scope === scope && known.staleMs > this.clock.nowMs();
    return isFresh ? known : this.writeText(this.find(job, scope));
  }

  /** Like `text`, with the request that was accepted. */
  detail(job: Id, scope: Id): Pick<JobText, "text" | "etag"> {
    const known = this.text(job, scope);
    const { text, etag, request } = known;
    known.detail ??= `${text.slice(0, -1)},"request":${JSON.stringify(viewRequest(request))}}`;
    return { text: known.detail, etag };
  }

  /**
   * Returns the kept text, or writes one and keeps it. To be called in the turn in which the job
   * was found: its rows may change later.
   */
  writeText(found: Found | JobText): JobText {
    if ("text" in found && found.staleMs > this.clock.nowMs()) return found;
    const { terms } = found.job;
    const isLinked = found.job.phase === "succeeded";
    const text: JobText = {
      scope: terms.scope,
      request: found.request,
      job: found.job,
      text: JSON.stringify(this.view(found)),
      etag: isLinked ? undefined : `"${found.job.revision}"`,
      staleMs: this.clock.nowMs() + limits.http.signedUrlSeconds * 500,
      detail: undefined,
    };
    this.keep(jobKey(terms.job), text, found.job);
    return text;
  }

  private keep(key: Key, text: JobText, job: Job): void {
    this.textByJob.set(key, text);
    if (job.phase === "succeeded")
      for (const asset of job.assets) this.jobByAsset.set(assetKey(text.scope, asset), key);
    const { jobViewsMax } = limits.http;
    if (this.textByJob.size <= jobViewsMax) return;
    deleteOldest(this.textByJob, jobViewsMax / 16);
    if (this.jobByAsset.size > 4 * jobViewsMax) this.jobByAsset.clear();
  }

  view({ request: asked, job }: Found) {
    const ids = job.phase === "succeeded" ? job.assets : [];
    const assets = ids.flatMap((id) => {
      const asset = this.gateway.read(assetKey(job.terms.scope, id));
      return asset === undefined ? [] : [assetView(asset, asked, this.sign)];
    });
    return jobView(asked, job, assets, this.problems);
  }

  assetView(asset: Asset) {
    const { origin } = asset;
    const request = "job" in origin ? this.gateway.read(jobRequestKey(origin.job)) : undefined;
    return assetView(asset, request, this.sign);
  }

  private readonly sign = (objectKey: string) =>
    this.signedUrls.sign(objectKey, this.clock.nowMs());

  get keepsTexts(): boolean {
    return this.textByJob.size > 0;
  }

  /** Clears all texts, because any row may have changed. */
  forget(): void {
    this.textByJob.clear();
    this.jobByAsset.clear();
  }

  /** Called for every row that changes while texts are kept. */
  onWrite(key: Key): void {
    const code = getCode(key);
    if (code === codes.job) this.textByJob.delete(key);
    else if (code === codes.asset) this.textByJob.delete(this.jobByAsset.get(key) ?? key);
  }
}

declare module "../service.ts" {
  interface Service {
    readonly jobs: JobReads;
  }
}
