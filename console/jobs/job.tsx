/** One job: its result, its history, its cost and what the provider reported. */
import type { Job, JobEvents } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { repeat } from "../create/draft.ts";
import { credits, moment, span, timeOfDay, words } from "../format.ts";
import { attempt } from "../notices.ts";
import { Copy } from "../parts/copy.tsx";
import { Facts } from "../parts/facts.tsx";
import { Icon } from "../parts/icon.tsx";
import { FailureNotice, RequestView, Rows } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { at, go } from "../place.ts";
import { klieg, me } from "../session.ts";
import { isEnded, useJob } from "./follow.ts";
import { Outcome } from "./outcome.tsx";

export function JobView({ id }: { id: string }) {
  const { asked, put } = useJob(id);
  if (asked.phase === "failed") return <FailureNotice fault={asked.fault} />;
  if (asked.phase === "loading") return <Rows count={5} />;
  const job = asked.value;
  return (
    <div class="view">
      <header class="view-head">
        <a class="button bare icon-only" href={at("jobs")} aria-label="To all jobs">
          <Icon name="back" />
        </a>
        <h1 class="long">{job.summary}</h1>
        <Status of={job.status} />
        <Actions job={job} put={put} />
      </header>
      <div class="two">
        <section class="stage-column">
          <div class="card run">
            <Outcome job={job} />
          </div>
          {(job.warnings ?? []).map((warning) => (
            <p key={warning} class="hint">
              {warning}
            </p>
          ))}
          <Request request={job.request} />
        </section>
        <section class="about-column">
          <Money job={job} />
          <About job={job} />
          <History job={job} />
        </section>
      </div>
    </div>
  );
}

function Actions({ job, put }: { job: Job; put: (job: Job) => void }) {
  const cancel = () =>
    attempt(async () => put({ ...job, ...(await klieg.value.jobs.cancel(job.id)) }));
  const remove = () =>
    attempt(async () => {
      await klieg.value.jobs.delete(job.id);
      go(at("jobs"));
    }, "Deleted");
  return (
    <div class="actions">
      <button type="button" class="plain" onClick={() => attempt(() => repeatInForm(job))}>
        <Icon name="repeat" />
        Repeat
      </button>
      {job.asset !== undefined && (
        <a class="button plain" href={at(`assets/${job.asset.id}`)}>
          <Icon name="share" />
          Asset
        </a>
      )}
      {isEnded(job) ? (
        <button type="button" class="danger" onClick={remove}>
          <Icon name="trash" />
          Delete
        </button>
      ) : (
        <button type="button" class="danger" onClick={cancel}>
          <Icon name="stop" />
          Cancel
        </button>
      )}
    </div>
  );
}

async function repeatInForm(job: Job): Promise<void> {
  await repeat(job);
  go(at("create"));
}

function Money({ job }: { job: Job }) {
  const { credits_held: held, credits_charged: charged, cancellation } = job;
  const isSettled = typeof charged === "number";
  return (
    <div class="card figures">
      <Figure label="Held" value={credits(held)} />
      <Figure label="Charged" value={isSettled ? credits(charged) : "Not settled yet"} />
      <Figure label="Returned" value={isSettled ? credits(held - charged) : "-"} />
      {cancellation !== undefined && <p class="hint">{cancellation.message}</p>}
    </div>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div class="figure">
      <p class="hint">{label}</p>
      <p class="amount">{value}</p>
    </div>
  );
}

function About({ job }: { job: Job }) {
  const ended = job.completed_at;
  const took = ended ? Date.parse(ended) - Date.parse(job.created_at) : undefined;
  return (
    <Facts
      facts={[
        ["Job", <Copy key="id" text={job.id} label={job.id} />],
        [
          "Model",
          <a key="model" href={at("jobs", { model: job.model })}>
            {job.model}
          </a>,
        ],
        ["Kind", job.modality === "three_d" ? "3D" : words(job.modality)],
        [
          "Set",
          job.set_id ? (
            <a key="set" href={at("jobs", { set_id: job.set_id })}>
              All pictures of the set
            </a>
          ) : undefined,
        ],
        ["Submitted", moment(job.created_at)],
        [
          "Waited",
          job.started_at
            ? span(Date.parse(job.started_at) - Date.parse(job.created_at))
            : undefined,
        ],
        ["Total time", took === undefined ? undefined : span(took)],
        ["Client", job.surface ?? undefined],
        [
          "Failed as",
          job.failure === undefined ? undefined : (job.failure.code ?? job.failure.kind),
        ],
        ["Stopped", job.cancellation === undefined ? undefined : words(job.cancellation.stage)],
        ["Provider's reply", job.cancellation?.provider_cancel ?? undefined],
        ["By", job.user_id === me.value?.id ? undefined : job.user_id],
      ]}
    />
  );
}

function Request({ request }: { request: Job["request"] }) {
  if (request === undefined) return null;
  return (
    <details class="more" open>
      <summary>Request</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0}>{JSON.stringify(request, null, 2)}</pre>
    </details>
  );
}

/** Reads the history again when the job's status has changed. */
function History({ job }: { job: Job }) {
  const { asked, again } = useAsked(
    (signal) => klieg.value.jobs.history(job.id, { signal }),
    [job.id, job.status, job.credits_charged],
  );
  return (
    <div class="card history">
      <h2>History</h2>
      <RequestView asked={asked} again={again}>
        {({ items }) => (
          <ol>
            {items.map((item) => (
              <Step key={`${item.at} ${item.type} ${JSON.stringify(item.data)}`} item={item} />
            ))}
          </ol>
        )}
      </RequestView>
    </div>
  );
}

function Step({ item }: { item: JobEvents["items"][number] }) {
  const { at: when, type, data } = item;
  const more = Object.entries(data).map(([name, value]) => `${words(name)}: ${String(value)}`);
  return (
    <li class={type}>
      <time dateTime={when}>{timeOfDay(when)}</time>
      <span>
        <b>{words(type)}</b>
        {more.length > 0 && <span class="hint"> {more.join(" · ")}</span>}
      </span>
    </li>
  );
}
