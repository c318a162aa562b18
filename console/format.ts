/** Formats numbers and times for display. */
const counts = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const moments = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const clock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

export function count(value: number): string {
  return counts.format(value);
}

export function credits(value: number): string {
  return `${counts.format(value)} ${Math.abs(value) === 1 ? "credit" : "credits"}`;
}

export function bytes(value: number): string {
  if (value < 1e3) return `${value} B`;
  if (value < 1e6) return `${Math.round(value / 1e3)} kB`;
  return value < 1e9 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e9).toFixed(1)} GB`;
}

/** Formats a playing time, such as `0:04` or `1:02:00`. */
export function playtime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const rest = String(whole % 60).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** Formats a duration. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 3_600_000
    ? `${Math.floor(ms / 60_000)} min${formatSeconds(ms)}`
    : `${(ms / 3_600_000).toFixed(1)} h`;
}

function formatSeconds(ms: number): string {
  const seconds = Math.round((ms % 60_000) / 1_000);
  return seconds === 0 ? "" : ` ${seconds} s`;
}

/** Formats how long ago something was, relative to the given time. */
export function ago(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at);
  if (ms < 10_000) return "just now";
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s ago`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ago`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h ago`;
  return days.format(Date.parse(at));
}

export function day(at: string): string {
  return days.format(Date.parse(at));
}

export function moment(at: string): string {
  return moments.format(Date.parse(at));
}

export function timeOfDay(at: string): string {
  return clock.format(Date.parse(at));
}

/** Formats a name of the contract that has no label: `three_d` becomes `Three d`. */
export function words(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
