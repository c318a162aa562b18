/** The balance, a chart of the spending, and every change of the balance. */
import type {
  Credits,
  LedgerEntry,
  LedgerPage,
  SpendReport,
} from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { readClockMs } from "../clock.ts";
import { count, credits, day, moment, words } from "../format.ts";
import { Chart } from "../parts/chart.tsx";
import { Filter } from "../parts/filter.tsx";
import { More } from "../parts/more.tsx";
import { Empty, RequestView, Rows } from "../parts/shown.tsx";
import { getParameter as askedFor, at } from "../place.ts";
import { klieg } from "../session.ts";
import { useState } from "../view.ts";

const chartDays = 30;
const dayMs = 86_400_000;
const pageSize = 30;

export function CreditsView() {
  const { asked, again } = useAsked((signal) => klieg.value.credits.get({ signal }), []);
  return (
    <div class="stack">
      <RequestView asked={asked} again={again} skeleton={<Rows count={1} />}>
        {(value) => <Balance value={value} />}
      </RequestView>
      <Spend />
      <Ledger />
    </div>
  );
}

function Balance({ value }: { value: Credits }) {
  const { balance_credits: balance, held_credits: held, plan, monthly_credits, renews_at } = value;
  return (
    <div class="card panel figures">
      <div class="figure">
        <p class="hint">Available</p>
        <p class="amount">
          {typeof balance === "number" ? credits(balance) : "Hidden for your role"}
        </p>
      </div>
      <div class="figure">
        <p class="hint">Held for running jobs</p>
        <p class="amount">{credits(held)}</p>
      </div>
      <div class="figure">
        <p class="hint">Plan</p>
        <p class="amount">{words(plan)}</p>
      </div>
      {monthly_credits > 0 && (
        <div class="figure">
          <p class="hint">On {day(renews_at)}</p>
          <p class="amount">{credits(monthly_credits)}</p>
        </div>
      )}
    </div>
  );
}

const groups = ["day", "model", "modality", "surface"] as const;

function Spend() {
  const group = groups.find((name) => name === askedFor("by")) ?? "day";
  const { asked, again } = useAsked(
    (signal) => {
      const from = new Date(readClockMs() - (chartDays - 1) * dayMs).toISOString().slice(0, 10);
      return klieg.value.credits.spend({ from: `${from}T00:00:00Z`, group_by: group }, { signal });
    },
    [group],
  );
  return (
    <section class="card panel">
      <div class="panel-head">
        <h2>Spent in {chartDays} days</h2>
        <search class="filters">
          <Filter name="by" label="By" options={groups.slice(1)} none="Day" />
        </search>
      </div>
      <RequestView asked={asked} again={again}>
        {(report) => (group === "day" ? <ByDay report={report} /> : <ByName report={report} />)}
      </RequestView>
    </section>
  );
}

function ByDay({ report }: { report: SpendReport }) {
  const spent = new Map(report.items.map(({ key, credits_charged }) => [key, credits_charged]));
  const first = Date.parse(`${report.from.slice(0, 10)}T00:00:00Z`);
  const starts = Array.from({ length: chartDays }, (_, at) => first + at * dayMs);
  const values = starts.map((ms) => spent.get(new Date(ms).toISOString().slice(0, 10)) ?? 0);
  const { credits_charged: charged, jobs } = report.total;
  return (
    <Chart
      label={`${credits(charged)} for ${count(jobs)} ${jobs === 1 ? "job" : "jobs"}`}
      times={starts.map((ms) => ms / 1_000)}
      series={[{ label: "Credits", values, color: "--accent", isBars: true }]}
      unit={count}
      isByDay
    />
  );
}

function ByName({ report }: { report: SpendReport }) {
  const most = Math.max(1, ...report.items.map((item) => item.credits_charged));
  if (report.items.length === 0) return <p class="hint">Nothing was spent.</p>;
  return (
    <div class="scroll">
      <table class="table">
        <thead>
          <tr>
            <th>{words(report.group_by)}</th>
            <th class="number">Jobs</th>
            <th class="number">Credits</th>
            <th aria-label="Share" />
          </tr>
        </thead>
        <tbody>
          {report.items.map(({ key, jobs, credits_charged: charged }) => (
            <tr key={key}>
              <td>{key ?? "None"}</td>
              <td class="number">{count(jobs)}</td>
              <td class="number">{count(charged)}</td>
              <td class="bar-cell">
                <progress class="accent" value={charged} max={most} aria-label="Share" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Ledger() {
  const { asked, again } = useAsked(
    (signal) => klieg.value.credits.ledger({ limit: pageSize }, { signal }),
    [],
  );
  return (
    <section class="card panel">
      <h2>Ledger</h2>
      <RequestView asked={asked} again={again}>
        {(page) => <Entries page={page} />}
      </RequestView>
    </section>
  );
}

function Entries({ page }: { page: LedgerPage }) {
  const [last, setLast] = useState(page);
  const [items, setItems] = useState<readonly LedgerEntry[]>(page.items);
  if (items.length === 0)
    return (
      <Empty icon="audit" title="Nothing yet">
        <p>Every credit that you receive or spend is listed here.</p>
      </Empty>
    );
  const more = async () => {
    const cursor = last.next_cursor ?? undefined;
    const next = await klieg.value.credits.ledger({ limit: pageSize, cursor });
    setLast(next);
    setItems([...items, ...next.items]);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <div class="scroll" tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th>When</th>
              <th>What</th>
              <th class="number">Change</th>
              <th class="number">Balance</th>
              <th>For</th>
            </tr>
          </thead>
          <tbody>
            {items.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
      </div>
      <More hasMore={typeof last.next_cursor === "string"} more={more} />
    </>
  );
}

function Entry({ entry }: { entry: LedgerEntry }) {
  const { amount, type, job_id: job, note } = entry;
  return (
    <tr>
      <td class="when">{moment(entry.at)}</td>
      <td>{words(type)}</td>
      <td class={amount > 0 ? "number gain" : "number"}>
        {amount > 0 ? "+" : ""}
        {count(amount)}
      </td>
      <td class="number">{count(entry.balance_after)}</td>
      <td class="grow">{job === undefined ? (note ?? "") : <a href={at(`jobs/${job}`)}>Job</a>}</td>
    </tr>
  );
}
