/**
 * The course of a run: the cluster starts; each round inflicts faults, waits for recovery and
 * checks the results; at the end everything that was begun must have ended.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Dice } from "../hostile/dice.ts";
import { createAccounts } from "./accounts.ts";
import { checkFound, checkHistory } from "./checker.ts";
import { Cluster } from "./cluster.ts";
import { describeFault, drawRound, type FaultRound } from "./faults.ts";
import { audit, findAll } from "./findings.ts";
import { History } from "./history.ts";
import { Load } from "./load.ts";
import type { ChaosOptions } from "./options.ts";
import { Probes } from "./probes.ts";
import { strike } from "./strike.ts";
import type { RoundFigures } from "./table.ts";

/** Time for a cluster to start on a busy machine. */
const beginMs = 120_000;
/** Pause between two rounds, so that a fault meets nodes that are at work. */
const restMs = 1_000;
/**
 * Recovery that takes longer is a violation, but the run waits on to see whether it ends at all.
 * Where engine nodes are restarted, the bound is longer by the time that the cluster took to start.
 */
const boundSeconds = 15;
const patienceSeconds = 90;
const pollMs = 100;
const logLines = 25;
const logWidth = 400;
/** Routine lines of the service's log, about single requests and jobs. */
const isEveryday = /"msg":"(?:request|job ended|render ended|request lines dropped)"/;

export interface Outcome {
  readonly figures: readonly RoundFigures[];
  readonly violations: readonly string[];
}

/** Runs all rounds; `isStopped` is checked between them. */
export async function runRounds(
  folder: string,
  options: ChaosOptions,
  say: (text: string) => void,
  isStopped: () => boolean,
): Promise<Outcome> {
  const cluster = await Cluster.open(folder, options);
  try {
    if (!(await cluster.isReady(beginMs))) {
      const said = await cluster.readiness();
      return {
        figures: [],
        violations: [`the cluster did not begin:\n${describe(cluster, said)}`],
      };
    }
    const beginSeconds = process.uptime();
    say(`ready after ${beginSeconds.toFixed(1)} s`);
    const accounts = await createAccounts(cluster);
    const history = new History();
    const load = new Load(history, accounts, options.seed);
    const probes = new Probes(history, cluster, accounts);
    const dice = new Dice(options.seed);
    const figures: RoundFigures[] = [];
    const violations: string[] = [];
    const judge = async () => {
      const found = await load.hold(() => findAll(accounts));
      const { operations } = history;
      const wrong = [...checkHistory(operations), ...checkFound(operations, found)];
      return [
        ...wrong.map(({ kind, text }) => `${kind}: ${text}`),
        ...(await audit(cluster)).map((item) => `audit: ${item}`),
        ...load.faults.splice(0),
        ...probes.faults.splice(0),
      ];
    };
    for (let number = 1; number <= options.rounds && !isStopped(); number++) {
      const round = drawRound(dice);
      await delay(restMs);
      const { figure, wrong } = await runRound(cluster, probes, round, beginSeconds);
      const judged = figure === undefined ? [] : await judge().catch((error) => [String(error)]);
      const fresh = [...wrong, ...judged].filter((text) => !violations.includes(text));
      say(describeRound(number, round, figure, history.operations.length));
      for (const text of fresh) say(`  VIOLATION (seed ${options.seed}, round ${number}) ${text}`);
      violations.push(...fresh);
      if (figure === undefined) break;
      figures.push(figure);
    }
    await Promise.all([load.end(), probes.end()]);
    return { figures, violations };
  } finally {
    await cluster.close();
  }
}

interface RoundEnd {
  /** Figures of the round; undefined when the cluster never recovered. */
  readonly figure: RoundFigures | undefined;
  readonly wrong: readonly string[];
}

async function runRound(
  cluster: Cluster,
  probes: Probes,
  round: FaultRound,
  beginSeconds: number,
): Promise<RoundEnd> {
  const isStart = round.faults.some(
    ({ kind, harm }) => kind === "engine" && (harm === "kill" || harm === "restart"),
  );
  const bound = boundSeconds + (isStart ? beginSeconds : 0);
  probes.begin();
  const began = process.uptime();
  const logs = cluster.members.map(({ logFile }) => readLog(logFile).length);
  const wrong = await strike(cluster, round);
  const healed = process.uptime();
  let readyAt: number | undefined;
  let report: string | undefined;
  for (;;) {
    const said = await cluster.readiness();
    const now = process.uptime();
    if (said.every(({ status }) => status === 200)) readyAt ??= now;
    const writtenAt = probes.findWriteTime(healed);
    if (readyAt !== undefined && writtenAt !== undefined) {
      const [toWrite, toReady] = [writtenAt - healed, readyAt - healed];
      const figure = { name: round.name, gap: probes.longestGap(began), toWrite, toReady };
      const late = toWrite > bound || toReady > bound;
      const took = `a write took ${toWrite.toFixed(1)} s, to be ready ${toReady.toFixed(1)} s`;
      return { figure, wrong: late ? [...wrong, `${took}\n${report ?? ""}`] : wrong };
    }
    if (now - healed > bound && report === undefined)
      report = [
        `no write on: ${probes.unwritten(healed).join(", ")}`,
        describe(cluster, said, logs),
      ].join("\n");
    if (now - healed > patienceSeconds)
      return {
        figure: undefined,
        wrong: [...wrong, `not back after ${patienceSeconds} s\n${report ?? ""}`],
      };
    await delay(pollMs);
  }
}

function describeRound(
  number: number,
  { name, faults }: FaultRound,
  figure: RoundFigures | undefined,
  operations: number,
): string {
  const took =
    figure === undefined
      ? "not back"
      : `no write for ${figure.gap.toFixed(1)} s, a write after ${figure.toWrite.toFixed(1)} s, ` +
        `ready after ${figure.toReady.toFixed(1)} s`;
  const details = faults.map(describeFault).join("; ");
  return `round ${number}, ${name}: ${took}; ${operations} operations\n    ${details}`;
}

/** Describes what each engine node reports and what each member has logged since then. */
function describe(
  cluster: Cluster,
  said: Awaited<ReturnType<Cluster["readiness"]>>,
  since: readonly number[] = [],
): string {
  const nodes = cluster.nodes.map(
    ({ member }, index) => `${member.name}: ${said[index]?.status} ${said[index]?.text}`,
  );
  const logs = cluster.members.map(({ name, logFile, ownEnds }, index) => {
    const lines = readLog(logFile)
      .slice(since[index] ?? 0)
      .trim()
      .split("\n");
    const told = lines
      .filter((line) => !isEveryday.test(line))
      .slice(-logLines)
      .map((line) => line.slice(0, logWidth));
    const ends = ownEnds.length > 0 ? ` (ended: ${ownEnds.join(", ")})` : "";
    return `--- ${name}${ends}\n${told.join("\n")}`;
  });
  return [...nodes, ...logs].join("\n");
}

function readLog(file: string): string {
  return readFileSync(file, { encoding: "utf8", flag: "a+" });
}
