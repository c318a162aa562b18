/**
 * A stage for jobs and their results: what each end is worth, where listings find the job, and the
 * trash.
 */

import { domain as product } from "../../actors/domain.ts";
import { listIndexEntries } from "../../actors/job/job-index.ts";
import { assetKey } from "../../actors/protocol/asset.ts";
import type { Job, JobMessage, Outcome } from "../../actors/protocol/job.ts";
import { codes } from "../../actors/table-codes.ts";
import type { Domain } from "../../engine/domain.ts";
import { getCode } from "../../engine/key.ts";
import type { Command } from "./commands.ts";
import { computeCharge, isHeld } from "./facts.ts";
import type { Subject } from "./sequences.ts";
import { Stage } from "./stage.ts";

export type JobCommand =
  | Command
  | { readonly kind: "trash" | "restore" | "remove"; readonly asset: number };

export class JobStage implements Subject<JobCommand> {
  private readonly stage: Stage;
  private checked = 0;

  constructor(domain: Domain = product) {
    this.stage = new Stage(domain);
  }

  run(command: JobCommand): Promise<void> | undefined {
    if (!("asset" in command)) return this.stage.run(command);
    const { world, facts } = this.stage;
    const assets = [...facts.phases.values()].flatMap((job) =>
      job.phase === "succeeded" ? job.assets.map((id) => assetKey(job.terms.scope, id)) : [],
    );
    const key = assets[command.asset % Math.max(1, assets.length)];
    if (key === undefined) return undefined;
    const before = world.read(key)?.phase;
    const refused = command.kind === "restore" && before !== "trashed" ? "conflict" : undefined;
    const heard = world.ask(key, { kind: command.kind });
    this.stage.expect(command.kind, heard, before === undefined ? "not_found" : refused);
    return undefined;
  }

  findBreak(): string | undefined {
    return this.stage.findBreak() ?? this.wrongCharge() ?? this.wrongListing();
  }

  /** Checks the charge of each end that came in the last turn. */
  private wrongCharge(): string | undefined {
    for (const { before, turn, message, atMs } of this.stage.world.steps) {
      const job = before as Job | undefined;
      const next = turn.head as Job | undefined;
      if (job?.terms?.hold === undefined || next === undefined || next === job) continue;
      if (!isHeld(job) || isHeld(next)) continue;
      const wanted = worth(job, message as JobMessage, atMs);
      if (computeCharge(next) !== wanted)
        return `${message.kind} costs ${computeCharge(next)}, not ${wanted}`;
    }
    return undefined;
  }

  /** Checks that the last pass lists a job once for its owner, and once more if it failed. */
  private wrongListing(): string | undefined {
    const { world } = this.stage;
    if (world.passes === this.checked) return undefined;
    this.checked = world.passes;
    const found = [codes.jobOfOwner, codes.failedJob]
      .flatMap((code) => world.store(code))
      .map(({ key }) => key);
    const wanted = [...world.kept]
      .filter(([key]) => getCode(key) === codes.job)
      .flatMap(([, job]) => listIndexEntries(job as Job, false))
      .flatMap(({ key, value }) => (value === undefined ? [] : [key]));
    return String(found.sort()) === String(wanted.sort())
      ? undefined
      : "a listing shows what is not";
  }
}

/** Computes the specification's price of an end, in whole credits. */
function worth(job: Job, message: JobMessage, atMs: number): number {
  const { hold } = job.terms;
  switch (message.kind) {
    case "finished":
      return computeWorth(job, message.outcome);
    case "cancel":
      return job.phase === "running" && job.terms.provider === "farm"
        ? Math.ceil(hold * job.progress)
        : 0;
    case "cancel_answer": {
      if (message.answer.kind !== "stopped_partway") return 0;
      const startedAtMs = "startedAtMs" in job ? (job.startedAtMs ?? atMs) : atMs;
      const share = message.answer.billedFraction ?? (atMs - startedAtMs) / 10_000;
      return Math.ceil(hold * Math.min(1, share));
    }
    default:
      return 0;
  }
}

function computeWorth({ phase, terms: { hold, count } }: Job, outcome: Outcome): number {
  if (outcome.kind === "failed") {
    const isFree = !outcome.billed || (outcome.class === "moderation_ip" && outcome.atOutput);
    return isFree ? 0 : hold;
  }
  if (phase === "canceled") return hold;
  return Math.ceil(hold * Math.min(1, outcome.outputs.length / count));
}
