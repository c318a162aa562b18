/** What the service says of a composition's timeline: its lanes, and what is wrong. */
import type { EffectiveTimeline } from "../../clients/typescript/src/generated/models.ts";
import { playtime, words } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { playhead, sought } from "./playhead.ts";

interface DiagnosticsProps {
  timeline: EffectiveTimeline;
  /** Opens the file of the bundle that a diagnostic is about, where it can be edited. */
  open?: ((path: string) => void) | undefined;
}

export function Diagnostics({ timeline: { diagnostics }, open }: DiagnosticsProps) {
  return (
    <div class="card panel">
      <h2>Check</h2>
      {diagnostics.length === 0 ? (
        <p class="all-well">
          <Icon name="check" />
          Nothing to mend
        </p>
      ) : (
        <ul class="diagnostics">
          {diagnostics.map((one) => (
            <Diagnostic key={one.message} one={one} open={open} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface DiagnosticProps {
  one: EffectiveTimeline["diagnostics"][number];
  open: DiagnosticsProps["open"];
}

function Diagnostic({ one, open }: DiagnosticProps) {
  const { severity, code, message, path, element, attribute } = one;
  const place = [element ? `#${element}` : undefined, attribute ?? undefined];
  return (
    <li>
      <span class={severity === "error" ? "badge bad" : "badge warn"}>{words(severity)}</span>
      <p>{message}</p>
      <p class="hint">
        {open === undefined ? (
          path
        ) : (
          <button type="button" class="bare small" onClick={() => open(path)}>
            {path}
          </button>
        )}{" "}
        {place.filter((part) => part !== undefined).join(" ")} <code>{code}</code>
      </p>
    </li>
  );
}

type Clip = EffectiveTimeline["clips"][number];

export function Lanes({ timeline }: { timeline: EffectiveTimeline }) {
  const { clips, duration_seconds: seconds } = timeline;
  if (!seconds || clips.length === 0) return null;
  const lanes = [...new Set(clips.map(({ track_index }) => track_index))].sort((a, b) => a - b);
  return (
    <div class="card panel lanes">
      <div class="panel-head">
        <h2>Timeline</h2>
        <p class="hint">{playtime(seconds)}</p>
      </div>
      <div class="lane-list">
        <Playhead seconds={seconds} />
        {lanes.map((lane) => (
          <div key={lane} class="lane">
            {clips
              .filter(({ track_index }) => track_index === lane)
              .map((clip) => (
                <Bar key={clip.key} clip={clip} seconds={seconds} />
              ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function Playhead({ seconds }: { seconds: number }) {
  return <span class="playhead" style={{ left: `${(100 * playhead.value) / seconds}%` }} />;
}

function Bar({ clip, seconds }: { clip: Clip; seconds: number }) {
  const { start_seconds: start, kind, id, path, text } = clip;
  const end = Math.min(seconds, clip.end_seconds ?? seconds);
  const name = text || id || path || kind;
  return (
    <button
      type="button"
      onClick={() => {
        sought.value = { seconds: start };
      }}
      class={`clip ${kind}`}
      title={`${name}: ${start.toFixed(2)} to ${end.toFixed(2)} s`}
      style={{
        left: `${(100 * start) / seconds}%`,
        width: `${Math.max(0.5, (100 * (end - start)) / seconds)}%`,
      }}
    >
      {name}
    </button>
  );
}
