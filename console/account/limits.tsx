import type { Limits } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { bytes, count, span, words } from "../format.ts";
import { Facts } from "../parts/facts.tsx";
import { RequestView } from "../parts/shown.tsx";
import { klieg, me } from "../session.ts";

/** Shows the account's limits and how much of each is used. */
export function LimitsView() {
  const { asked, again } = useAsked((signal) => klieg.value.limits({ signal }), []);
  return (
    <RequestView asked={asked} again={again}>
      {(limits) => (
        <div class="columns">
          <UsageBar limits={limits} />
          <Requests limits={limits} />
          <Sizes limits={limits} />
        </div>
      )}
    </RequestView>
  );
}

function UsageBar({ limits }: { limits: Limits }) {
  const { storage } = limits;
  const running = me.value?.generation_limits;
  const quota = me.value?.quota;
  return (
    <section class="card panel">
      <h2>Used</h2>
      {running && (
        <Gauge
          label="Generations at once"
          used={running.concurrent_active}
          most={running.concurrent_max}
          unit={count}
        />
      )}
      {quota && <Gauge label="Today" used={quota.used} most={quota.limit} unit={count} />}
      <Gauge label="Stored" used={storage.used_bytes} most={storage.limit_bytes} unit={bytes} />
    </section>
  );
}

interface GaugeProps {
  label: string;
  used: number;
  most: number | null | undefined;
  unit: (value: number) => string;
}

function Gauge({ label, used, most, unit }: GaugeProps) {
  return (
    <div class="gauge">
      <p>
        {label}
        <span>
          {unit(used)} of {typeof most === "number" ? unit(most) : "any number"}
        </span>
      </p>
      {typeof most === "number" && <progress value={used} max={most} aria-label={label} />}
    </div>
  );
}

function Requests({ limits }: { limits: Limits }) {
  const { requests_per_minute: rates, renders } = limits;
  return (
    <section class="card panel">
      <h2>Requests</h2>
      <Facts
        facts={[
          ...Object.entries(rates ?? {}).map(
            ([name, most]) => [`${words(name)}, a minute`, count(most)] as const,
          ),
          ["Generations a day", limits.generations_per_day ?? "Any number"],
          ["Waits at once", count(limits.open_waits)],
          ["Streams at once", count(limits.open_streams)],
          ["Renders queued", count(renders.queued)],
          ["Renders running", count(renders.running)],
          ["Same request again", span(limits.duplicate_window_seconds * 1_000)],
          ["Quotes hold for", span(limits.confirmation_token_seconds * 1_000)],
        ]}
      />
    </section>
  );
}

function Sizes({ limits }: { limits: Limits }) {
  const { upload_bytes: uploads, compositions } = limits;
  return (
    <section class="card panel">
      <h2>Sizes</h2>
      <Facts
        facts={[
          ...Object.entries(uploads.by_kind).map(
            ([name, most]) => [`Upload: ${name.replace("_", " ")}`, bytes(most)] as const,
          ),
          ["Composition", bytes(compositions.bytes)],
          ["Its files", count(compositions.files)],
          ["Each of its media files", bytes(compositions.media_file_bytes)],
          ["Members of a set", count(limits.set_members)],
          ["Active tokens", count(limits.active_tokens)],
          ["Links per render or asset", count(limits.shares.active_links)],
          ["Jobs are kept", `${limits.terminal_jobs_days} days`],
        ]}
      />
    </section>
  );
}
