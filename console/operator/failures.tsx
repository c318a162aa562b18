/** Why jobs failed, grouped by reason. */
import type { AdminFailure } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, count, moment, words } from "../format.ts";
import { Filter } from "../parts/filter.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { getParameter as askedFor, at } from "../place.ts";
import { klieg } from "../session.ts";

const everyMs = 15_000;
const spans = ["1", "6", "24"];

export function Failures() {
  const hours = spans.find((one) => one === askedFor("hours"));
  const query = hours === undefined ? {} : { hours: Number(hours) };
  const { asked, again } = useAsked(
    (signal) => klieg.value.admin.failures(query, { signal }),
    [hours],
    () => everyMs,
  );
  return (
    <div class="view">
      <header class="view-head">
        <h1>Failures</h1>
        {asked.phase === "ready" && (
          <p class="hint">
            since {moment(asked.value.since)}
            {asked.value.is_complete ? "" : ", not all of them"}
          </p>
        )}
      </header>
      <search class="filters">
        <Filter
          name="hours"
          label="Time"
          options={spans}
          labels={{ 1: "An hour", 6: "Six hours", 24: "A day" }}
          none="As usual"
        />
      </search>
      <RequestView asked={asked} again={again}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="check" title="Nothing failed">
              <p>Jobs that fail are counted here by cause and model, with the last message.</p>
            </Empty>
          ) : (
            <div class="list card">
              {items.map((item) => (
                <Row key={`${item.code} ${item.kind} ${item.model}`} item={item} />
              ))}
            </div>
          )
        }
      </RequestView>
    </div>
  );
}

function Row({ item }: { item: AdminFailure }) {
  return (
    <div class="line">
      <p class="amount failures">{count(item.jobs)}</p>
      <div class="line-main">
        <p class="row-title">
          {words(item.code)} <span class="hint">{item.model}</span>
        </p>
        <p class="hint">{item.last_message}</p>
      </div>
      <p class="hint">
        <a href={at(`jobs/${item.last_job_id}`)}>The last one</a>, {ago(item.last_at, nowMs.value)}
      </p>
    </div>
  );
}
