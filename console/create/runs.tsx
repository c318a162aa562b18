/** Jobs submitted in this tab, newest first, each shown beside its request. */
import type { Asset, Job } from "../../clients/typescript/src/generated/models.ts";
import { nowMs } from "../clock.ts";
import { ago, credits } from "../format.ts";
import { isEnded, useJob } from "../jobs/follow.ts";
import { Outcome } from "../jobs/outcome.tsx";
import { attempt } from "../notices.ts";
import { Icon } from "../parts/icon.tsx";
import { FailureNotice } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { at } from "../place.ts";
import { klieg } from "../session.ts";
import { signal } from "../view.ts";
import { repeat } from "./draft.ts";

/** Maximum runs shown: as many as the largest set has members. */
const shownMax = 24;

export const runs = signal<readonly string[]>([]);

export function addRun(jobId: string): void {
  runs.value = [jobId, ...runs.value.filter((id) => id !== jobId)].slice(0, shownMax);
}

export function Runs() {
  return (
    <>
      {runs.value.map((id) => (
        <Run key={id} id={id} />
      ))}
    </>
  );
}

function Run({ id }: { id: string }) {
  const { asked, put } = useJob(id);
  if (asked.phase === "failed") return <FailureNotice fault={asked.fault} />;
  if (asked.phase === "loading") return <div class="run card skeleton" />;
  const job = asked.value;
  return (
    <article class="run card" aria-label={`Job ${job.status}`}>
      <Outcome job={job} />
      <div class="run-foot">
        <div class="run-facts">
          <Status of={job.status} />
          <span>{job.model}</span>
          <span>{ago(job.created_at, nowMs.value)}</span>
          <span class="number">{credits(job.credits_charged ?? job.credits_held)}</span>
        </div>
        <Request job={job} />
        <div class="actions">
          <a class="button plain small" href={at(`jobs/${id}`)}>
            Open
          </a>
          <Again job={job} />
          {isEnded(job) ? <Save asset={job.asset} /> : <Cancel job={job} put={put} />}
        </div>
      </div>
    </article>
  );
}

function Request({ job: { request = {}, summary } }: { job: Job }) {
  const { prompt, text, model: _, ...others } = request;
  const rest = Object.entries(others);
  return (
    <div class="run-request">
      <p class="prompt">{String(text ?? prompt ?? summary)}</p>
      {rest.length > 0 && (
        <p class="hint">
          {rest.map(([name, value]) => `${name.replaceAll("_", " ")} ${short(value)}`).join(" · ")}
        </p>
      )}
    </div>
  );
}

function short(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} chosen`;
  const text = String(value);
  return /^[0-9a-f-]{36}$/.test(text) ? "chosen" : text;
}

function Again({ job }: { job: Job }) {
  return (
    <button type="button" class="plain small" onClick={() => attempt(() => repeat(job))}>
      <Icon name="repeat" size={16} />
      Use again
    </button>
  );
}

function Save({ asset }: { asset: Asset | undefined }) {
  if (asset === undefined || asset.signed_url === "") return null;
  return (
    <a class="button plain small" href={at(`assets/${asset.id}`)}>
      <Icon name="share" size={16} />
      Share
    </a>
  );
}

function Cancel({ job, put }: { job: Job; put: (job: Job) => void }) {
  const cancel = () =>
    attempt(async () => put({ ...job, ...(await klieg.value.jobs.cancel(job.id)) }));
  return (
    <button type="button" class="danger small" onClick={cancel}>
      <Icon name="stop" size={16} />
      Cancel
    </button>
  );
}
