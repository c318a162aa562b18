/** One hour of the service: accepted and ended work, response times, and queues. */
import type { AdminOverview } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { bytes, count, credits } from "../format.ts";
import { Chart, type Series } from "../parts/chart.tsx";
import { RequestView } from "../parts/shown.tsx";
import { at } from "../place.ts";
import { klieg } from "../session.ts";

const everyMs = 5_000;

export function Overview() {
  const { asked, again } = useAsked(
    (signal) => klieg.value.admin.overview({ signal }),
    [],
    () => everyMs,
  );
  return (
    <div class="view">
      <header class="view-head">
        <h1>Overview</h1>
        <p class="hint">The last hour</p>
      </header>
      <RequestView asked={asked} again={again}>
        {(overview) => (
          <div class="stack">
            <Now overview={overview} />
            <Charts overview={overview} />
            <Queues overview={overview} />
          </div>
        )}
      </RequestView>
    </div>
  );
}

function Now({ overview }: { overview: AdminOverview }) {
  const { jobs, current, minutes, credits_held, silent_nodes: silent } = overview;
  const last = minutes.at(-1) ?? current;
  const sum = (name: "queued" | "running") => jobs.reduce((all, one) => all + one[name], 0);
  return (
    <>
      {silent.length > 0 && (
        <p class="wrong card panel" role="alert">
          Silent: {silent.join(", ")}
        </p>
      )}
      <div class="card panel figures">
        <Figure label="Running" value={count(sum("running"))} />
        <Figure label="Queued" value={count(sum("queued"))} />
        <Figure label="Renders waiting" value={count(overview.renders_waiting)} />
        <Figure label="Accepted a minute" value={count(last.accepted)} />
        <Figure label="Requests a minute" value={count(last.requests)} />
        <Figure label="Streams and waits" value={count(overview.streams + overview.waits)} />
        <Figure label="Held" value={credits(credits_held)} />
        <Figure label="Store" value={bytes(overview.store_bytes)} />
        <Figure label="Replication behind" value={count(overview.replication_lag)} />
      </div>
    </>
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

type Minute = AdminOverview["minutes"][number];

/** Returns the full hour; minutes for which the service has no data have no figures. */
function getHour({ at, minutes, current }: AdminOverview): readonly (Minute | number)[] {
  const known = new Map([...minutes, current].map((one) => [getMinute(one.at), one]));
  const last = getMinute(at);
  return Array.from({ length: hourMinutes }, (_, index) => {
    const minute = last - (hourMinutes - 1) + index;
    return known.get(minute) ?? minute;
  });
}

const hourMinutes = 60;

function getMinute(at: string): number {
  return Math.floor(Date.parse(at) / 60_000);
}

function Charts({ overview }: { overview: AdminOverview }) {
  const minutes = getHour(overview);
  const times = minutes.map((one) => 60 * (typeof one === "number" ? one : getMinute(one.at)));
  const of = (
    label: string,
    color: Series["color"],
    value: (minute: Minute) => number | null | undefined,
  ): Series => ({
    label,
    color,
    values: minutes.map((one) => (typeof one === "number" ? null : (value(one) ?? null))),
  });
  const jobs = [
    of("Accepted", "--arc", ({ accepted }) => accepted),
    of("Succeeded", "--good", ({ succeeded }) => succeeded),
    of("Failed", "--bad", ({ failed }) => failed),
    of("Canceled", "--warn", ({ canceled }) => canceled),
  ];
  const answers = [
    of("Half within", "--arc", ({ answer_p50_ms: ms }) => ms),
    of("99 of 100 within", "--accent", ({ answer_p99_ms: ms }) => ms),
  ];
  const requests = [
    of("Requests", "--arc", ({ requests: all }) => all),
    of("Our faults", "--bad", ({ server_errors: faults }) => faults),
  ];
  return (
    <div class="columns">
      <div class="card panel">
        <Chart label="Jobs a minute" times={times} series={jobs} unit={count} />
      </div>
      <div class="card panel">
        <Chart
          label="Time to answer"
          times={times}
          series={answers}
          unit={(ms) => `${count(ms)} ms`}
        />
      </div>
      <div class="card panel">
        <Chart label="Requests a minute" times={times} series={requests} unit={count} />
      </div>
    </div>
  );
}

function Queues({ overview: { jobs } }: { overview: AdminOverview }) {
  return (
    <div class="card panel">
      <h2>Jobs now</h2>
      <table class="table">
        <thead>
          <tr>
            <th>Kind</th>
            <th class="number">Queued</th>
            <th class="number">Running</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map(({ modality, queued, running }) => (
            <tr key={modality}>
              <td class="grow">
                <a href={at("jobs", { modality })}>{modality === "three_d" ? "3D" : modality}</a>
              </td>
              <td class="number">{count(queued)}</td>
              <td class="number">{count(running)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
