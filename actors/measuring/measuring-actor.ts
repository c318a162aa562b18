/**
 * How a measuring moves.
 *
 *   measure --> waiting <--lapsed-- leased --finished--> answered, gone
 *                  \------ time ------/------ time ----> answered `late`, gone
 *
 * Who asked is answered exactly once, unless the service ends meanwhile: then no request waits, and
 * the actor ends by its time.
 */

import { limits } from "../../config/limits.ts";
import { type Actor, type Decision, decision, type Reply } from "../../engine/actor.ts";
import { runFarmTask } from "../job/run-farm-task.ts";
import type { Outcome } from "../protocol/job.ts";
import {
  type Measured,
  type Measuring,
  type MeasuringEffect,
  type MeasuringMessage,
  measuringObjects,
} from "../protocol/measuring.ts";

type MeasuringDecision = Decision<Measuring, MeasuringEffect>;

export const measuringActor: Actor<Measuring, MeasuringMessage, MeasuringEffect> = {
  kind: "measuring",
  decide(measuring, message, ctx) {
    const { atMs, request } = ctx;
    if (message.kind === "measure") {
      const { id, scope, input } = message;
      const untilMs = atMs + limits.exports.measureMs;
      const task = { kind: "measure", input, outputPrefix: measuringObjects(id) };
      return decision(
        { scope, untilMs, attempts: 0, request },
        { effects: [runFarmTask(scope, task, ctx)] },
      );
    }
    // The measuring's time ran out before a node claimed the task.
    if (measuring === undefined)
      return decision(undefined, { effects: message.kind === "claim" ? [cancel] : [] });
    switch (message.kind) {
      case "claim": {
        const { token } = message;
        const lease: MeasuringEffect = { kind: "farm.lease", token };
        return decision({ ...measuring, token }, { effects: [lease] });
      }
      case "progress":
        return decision(measuring);
      case "lapsed":
        return measuring.token === message.token
          ? lapse(measuring, message.isReturned)
          : decision(measuring);
      case "finished":
        return measuring.token === message.token
          ? decision(undefined, { replies: replyAll(measuring, getResult(message.outcome)) })
          : decision(measuring);
      case "due":
        return atMs < measuring.untilMs ? decision(measuring) : giveUp(measuring);
    }
  },
  dueAt: ({ untilMs }) => untilMs,
};

const cancel = { kind: "farm.cancel" } as const;

/**
 * Ends a lease. The broker offers the task again, unless this was the last attempt. A task that a
 * node handed back does not count as an attempt.
 */
function lapse({ token: _, ...open }: Measuring, isReturned = false): MeasuringDecision {
  const attempts = open.attempts + (isReturned ? 0 : 1);
  return attempts < limits.farm.attemptsMax ? decision({ ...open, attempts }) : giveUp(open);
}

function giveUp(measuring: Measuring): MeasuringDecision {
  return decision(undefined, { replies: replyAll(measuring, { kind: "late" }), effects: [cancel] });
}

function replyAll({ request }: Measuring, reply: Measured): readonly Reply[] {
  return request === undefined ? [] : [{ to: request, reply }];
}

function getResult(outcome: Outcome): Measured {
  if (outcome.kind === "failed") return { kind: "failed", reason: outcome.message };
  const [output] = outcome.outputs;
  if (output === undefined) return { kind: "failed", reason: "nothing was measured" };
  return { kind: "measured", objectKey: output.media.objectKey };
}
