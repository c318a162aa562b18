/** The outcome of a job: its progress, its result, or the reason why there is none. */
import type { Job } from "../../clients/typescript/src/generated/models.ts";
import { count } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { Media } from "../parts/media.tsx";
import { isEnded } from "./follow.ts";

export function Outcome({ job }: { job: Job }) {
  if (!isEnded(job)) return <Progress job={job} />;
  if (job.status === "succeeded") return <Results job={job} />;
  const { failure, cancellation } = job;
  return (
    <div class="outcome-none" role="alert">
      <Icon name={job.status === "failed" ? "failures" : "stop"} size={24} />
      <p>{failure?.message ?? cancellation?.message ?? "This job ended without a result."}</p>
      {failure?.credits_refunded === true && <p class="hint">It cost nothing.</p>}
    </div>
  );
}

function Progress({ job }: { job: Job }) {
  const { status, progress, status_message: message } = job;
  const share = typeof progress === "number" ? progress : undefined;
  return (
    <div class={`outcome-wait ${status}`}>
      <div class="arc" aria-hidden="true" />
      <p>
        {message ?? (status === "queued" ? "Waiting for its turn" : "In the making")}
        {share !== undefined && status === "running" && (
          <span class="share">{count(Math.round(share * 100))} %</span>
        )}
      </p>
      <progress
        {...(share === undefined || status === "queued" ? {} : { value: share })}
        max={1}
        aria-label="Progress"
      />
    </div>
  );
}

function Results({ job }: { job: Job }) {
  const assets = job.assets ?? (job.asset === undefined ? [] : [job.asset]);
  if (assets.length === 0) return <p class="hint">The result was deleted.</p>;
  return (
    <div class={assets.length > 1 ? "results several" : "results"}>
      {assets.map((asset) => (
        <Media key={asset.id} asset={asset} />
      ))}
    </div>
  );
}
