/**
 * Parses the words `sim:...` in a prompt, which control a simulated model; they may stand anywhere,
 * separated by spaces, and can be combined.
 */
import { omitUndefined } from "../../config/defined.ts";

export interface Scenario {
  /** Running time of the job; `queueMs` is the time in the provider's queue. */
  readonly slowMs: number;
  readonly queueMs: number;
  /** Number of first submits answered busy; `down` counts those that fail to connect. */
  readonly busy: number;
  readonly down: number;
  /** Whether the answer to the submit is lost, and with it all that follows. */
  readonly isUnknown: boolean;
  readonly refusal: "nsfw" | "ip" | undefined;
  readonly ending: "succeed" | "fail" | "nsfw_output" | "ip_output" | "lost";
  readonly billed: boolean;
  readonly cancel: CancelScenario | undefined;
  /** What happens to the callback when the job ends. */
  readonly callback: "sent" | "dropped" | "doubled" | "forged";
}

const cancelScenarios = ["requested", "refused", "unsupported", "failed", "partway"] as const;
export type CancelScenario = (typeof cancelScenarios)[number];

const calm: Scenario = {
  slowMs: 0,
  queueMs: 0,
  busy: 0,
  down: 0,
  isUnknown: false,
  refusal: undefined,
  ending: "succeed",
  billed: false,
  cancel: undefined,
  callback: "sent",
};

const word = /(?<=^|\s)sim:([a-z_]+)(?:=(\d{1,9}))?(?=\s|$)/g;

/** Whether the prompt contains no scenario, so that the job succeeds at once. */
export function isCalm(scenario: Scenario): boolean {
  return scenario === calm;
}

/** Whether everything happens at once, so that the answer to the submit ends the job. */
export function isImmediate(scenario: Scenario): boolean {
  const { busy, down, slowMs, queueMs, isUnknown, ending, callback } = scenario;
  if (isUnknown || ending === "lost" || callback !== "sent") return false;
  return busy + down + slowMs + queueMs === 0;
}

export function parseScenario(prompt: string): Scenario {
  if (!prompt.includes("sim:")) return calm;
  let scenario = calm;
  for (const [, name = "", amount = "0"] of prompt.matchAll(word))
    scenario = { ...scenario, ...change(name, Number(amount)) };
  return scenario;
}

function change(name: string, amount: number): Partial<Scenario> {
  switch (name) {
    case "slow":
      return { slowMs: amount };
    case "queue":
      return { queueMs: amount };
    case "busy":
      return { busy: amount };
    case "down":
      return { down: amount };
    case "nsfw":
    case "ip":
      return { refusal: name };
    case "nsfw_output":
    case "ip_output":
    case "fail":
    case "lost":
      return { ending: name };
    case "billed":
      return { billed: true };
    case "unknown_submit":
      return { isUnknown: true };
    case "drop_callback":
      return { callback: "dropped" };
    case "dup_callback":
      return { callback: "doubled" };
    case "bad_signature":
      return { callback: "forged" };
    default: {
      const cancel = cancelScenarios.find((scenario) => name === `cancel_${scenario}`);
      return omitUndefined({ cancel });
    }
  }
}
