/** All jobs with their current state, and a single job by its address. */
import type { Job, JobPage } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, count, credits } from "../format.ts";
import { attempt } from "../notices.ts";
import { DayFilter, Filter, Filters, SearchFilter } from "../parts/filter.tsx";
import { Icon } from "../parts/icon.tsx";
import { iconOfModality, Thumbnail } from "../parts/media.tsx";
import { More } from "../parts/more.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { getParameter as askedFor, at, refine, segments } from "../place.ts";
import { klieg, me } from "../session.ts";
import { useState } from "../view.ts";
import { isEnded } from "./follow.ts";
import { JobView } from "./job.tsx";

const liveMs = 2_500;
const stillMs = 10_000;
const pageSize = 30;
const filters = ["status", "modality", "model", "tag", "created_after", "created_before"] as const;

export function Jobs() {
  const [, id] = segments.value;
  return id === undefined || id === "" ? <JobList /> : <JobView id={id} />;
}

function query() {
  const set_id = askedFor("set_id");
  const agent_session_id = askedFor("agent_session_id");
  const scope = askedFor("scope");
  const given = Object.fromEntries(filters.map((name) => [name, askedFor(name)]));
  const from = formatDate(given["created_after"]);
  const until = formatDate(given["created_before"]);
  return { ...given, created_after: from, created_before: until, set_id, agent_session_id, scope };
}

/** Converts a date field's day to the format of the API. */
function formatDate(day: string | undefined): string | undefined {
  return day === undefined || day === "" ? undefined : new Date(`${day}T00:00:00Z`).toISOString();
}

function JobList() {
  const filter = query();
  const key = JSON.stringify(filter);
  const { asked, again } = useAsked(
    (signal) => klieg.value.jobs.list({ limit: pageSize, ...filter }, { signal }),
    [key],
    ({ items }) => (items.every(isEnded) ? stillMs : liveMs),
  );
  return (
    <div class="view">
      <header class="view-head">
        <h1>Jobs</h1>
        {asked.phase === "ready" && <p class="hint">{count(asked.value.total)} in all</p>}
        <CancelAll jobs={asked.phase === "ready" ? asked.value.items : []} again={again} />
      </header>
      <JobFilters />
      <RequestView asked={asked} again={again}>
        {(page) => <List key={key} page={page} filter={filter} />}
      </RequestView>
    </div>
  );
}

function CancelAll({ jobs, again }: { jobs: readonly Job[]; again: () => void }) {
  const open = jobs.filter((job) => !isEnded(job)).map(({ id }) => id);
  if (open.length < 2) return null;
  const cancel = () =>
    attempt(async () => {
      await klieg.value.jobs.cancelMany({ ids: open });
      again();
    }, "Canceled");
  return (
    <button type="button" class="danger small" onClick={cancel}>
      <Icon name="stop" size={16} />
      Cancel {open.length} open
    </button>
  );
}

const statuses = ["queued", "running", "succeeded", "failed", "canceled"];
const modalities = ["image", "video", "audio", "three_d"];

function JobFilters() {
  const isMember = me.value?.active_organization !== null && me.value?.active_organization;
  return (
    <Filters isUsed={isFiltered()}>
      <Filter name="status" label="Status" options={statuses} />
      <Filter name="modality" label="Kind" options={modalities} />
      <SearchFilter name="model" label="Model" />
      <SearchFilter name="tag" label="Tag" />
      <DayFilter name="created_after" label="From" />
      <DayFilter name="created_before" label="Until" />
      {isMember && <Filter name="scope" label="Whose" options={["organization"]} none="Mine" />}
      {isFiltered() && (
        <button type="button" class="bare small" onClick={clear}>
          <Icon name="close" size={16} />
          Clear
        </button>
      )}
    </Filters>
  );
}

function isFiltered(): boolean {
  return Object.values(query()).some((value) => value !== undefined);
}

function clear(): void {
  const names = [...filters, "set_id", "agent_session_id", "scope"];
  refine(Object.fromEntries(names.map((name) => [name, undefined])));
}

function List({ page, filter }: { page: JobPage; filter: ReturnType<typeof query> }) {
  const [older, setOlder] = useState<JobPage>();
  if (page.items.length === 0)
    return (
      <Empty icon="jobs" title={isFiltered() ? "No matching jobs" : "No jobs yet"}>
        {isFiltered() ? (
          <a class="button plain" href={at("jobs")}>
            Show all
          </a>
        ) : (
          <a class="button" href={at("create")}>
            Create something
          </a>
        )}
      </Empty>
    );
  const shown = older === undefined ? page.items : [...page.items, ...newOnly(page, older)];
  const cursor = (older ?? page).next_cursor;
  const more = async () => {
    if (typeof cursor !== "string") return;
    const next = await klieg.value.jobs.list({ limit: pageSize, ...filter, cursor });
    setOlder({ ...next, items: [...(older?.items ?? []), ...next.items] });
  };
  return (
    <>
      <div class="list card">
        {shown.map((job) => (
          <Row key={job.id} job={job} />
        ))}
      </div>
      <More hasMore={typeof cursor === "string"} more={more} />
    </>
  );
}

/** Returns older jobs that are not on the first page, which is polled. */
function newOnly(page: JobPage, older: JobPage): readonly Job[] {
  const there = new Set(page.items.map(({ id }) => id));
  return older.items.filter(({ id }) => !there.has(id));
}

function Row({ job }: { job: Job }) {
  const { asset, status, progress } = job;
  return (
    <a class="row" data-row href={at(`jobs/${job.id}`)}>
      <span class="row-picture">
        {asset === undefined ? (
          <Icon name={iconOfModality(job.modality)} size={20} />
        ) : (
          <Thumbnail asset={asset} />
        )}
      </span>
      <span class="row-main">
        <span class="row-title">{job.summary}</span>
        <span class="hint">
          {job.model} · {ago(job.created_at, nowMs.value)}
          {job.surface ? ` · ${job.surface}` : ""}
        </span>
      </span>
      <span class="row-money number">{credits(job.credits_charged ?? job.credits_held)}</span>
      <span class="row-state">
        <Status of={status} />
        {status === "running" && typeof progress === "number" && (
          <progress value={progress} max={1} aria-label="Progress" />
        )}
      </span>
    </a>
  );
}
