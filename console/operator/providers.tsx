/** Providers that run models for this service: health, jobs under way, pause and resume. */
import type { AdminProvider } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, count } from "../format.ts";
import { attempt } from "../notices.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, RequestView } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { klieg } from "../session.ts";

const everyMs = 5_000;

export function Providers() {
  const { asked, again } = useAsked(
    (signal) => klieg.value.admin.providers({ signal }),
    [],
    () => everyMs,
  );
  const reload = () =>
    attempt(async () => {
      await klieg.value.admin.reloadModels();
      again();
    }, "Read again");
  return (
    <div class="view">
      <header class="view-head">
        <h1>Providers</h1>
        <div class="actions">
          <button type="button" class="plain" onClick={reload}>
            <Icon name="repeat" />
            Reload models and providers
          </button>
        </div>
      </header>
      <RequestView asked={asked} again={again}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="providers" title="No providers">
              <p>All models run on this machine; set KLIEG_PROVIDERS to add providers.</p>
            </Empty>
          ) : (
            <div class="list card">
              {items.map((provider) => (
                <Row key={provider.name} provider={provider} again={again} />
              ))}
            </div>
          )
        }
      </RequestView>
    </div>
  );
}

function Row({ provider, again }: { provider: AdminProvider; again: () => void }) {
  const { name, adapter, status, paused, in_flight, waiting, max_in_flight: most } = provider;
  const { admin } = klieg.value;
  const flip = () =>
    attempt(
      async () => {
        await (paused ? admin.resumeProvider(name) : admin.pauseProvider(name));
        again();
      },
      paused ? "Resumed" : "Paused",
    );
  return (
    <div class="line">
      <div class="line-main">
        <p class="row-title">{name}</p>
        <p class="hint">
          {adapter} · {count(in_flight)}
          {typeof most === "number" ? ` of ${count(most)}` : ""} under way · {count(waiting)}{" "}
          waiting
          {provider.last_error_at && ` · last fault ${ago(provider.last_error_at, nowMs.value)}`}
        </p>
      </div>
      <Status of={paused ? "paused" : status} />
      <button type="button" class="plain small" onClick={flip}>
        <Icon name={paused ? "play" : "pause"} size={16} />
        {paused ? "Resume" : "Pause"}
      </button>
    </div>
  );
}
