import { words } from "../format.ts";

/** The colours of status labels, for everything that has a status. */
const tones: Readonly<Record<string, string>> = {
  queued: "",
  running: "live",
  processing: "live",
  generating: "live",
  pending_upload: "",
  succeeded: "good",
  ready: "good",
  finished: "good",
  active: "good",
  live: "good",
  up: "good",
  ok: "good",
  idle: "",
  failed: "bad",
  down: "bad",
  gone: "bad",
  swept: "bad",
  suspended: "bad",
  trashed: "warn",
  canceled: "warn",
  stopped: "warn",
  degraded: "warn",
  draining: "warn",
  paused: "warn",
  partial: "warn",
};

export function Status({ of }: { of: string }) {
  return <span class={`badge ${tones[of] ?? ""}`}>{words(of)}</span>;
}
