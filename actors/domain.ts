import { limits } from "../config/limits.ts";
import type { AnyActor } from "../engine/actor.ts";
import type { Domain } from "../engine/domain.ts";
import { firstIdAt } from "../engine/id.ts";
import { createKey } from "../engine/key.ts";
import { accountActor } from "./account/account-actor.ts";
import { accountOfRenewal, renewalsKey } from "./account/renewal.ts";
import { sessionActor } from "./agent/session-actor.ts";
import { assetActor } from "./asset/asset-actor.ts";
import { removalActor } from "./asset/removal-actor.ts";
import { compositionActor } from "./composition/composition-actor.ts";
import { directoryActor } from "./directory/directory-actor.ts";
import { expiryActor } from "./directory/expiry.ts";
import { jobActor } from "./job/job-actor.ts";
import { jobIndex } from "./job/job-index.ts";
import { measuringActor } from "./measuring/measuring-actor.ts";
import { jobKey } from "./protocol/job.ts";
import { renderKey } from "./protocol/render.ts";
import { renderActor } from "./render/render-actor.ts";
import { rowCodecs } from "./row-codecs.ts";
import { shareActor } from "./share/share-actor.ts";
import { studioActor } from "./studio/studio-actor.ts";
import { codes } from "./table-codes.ts";
import { ticketActor } from "./ticket/ticket-actor.ts";
import { tombstoneActor } from "./tombstone/tombstone-actor.ts";

const actorByCode: ReadonlyMap<number, AnyActor> = new Map<number, AnyActor>([
  [codes.account, accountActor],
  [codes.job, jobActor],
  [codes.ticket, ticketActor],
  [codes.asset, assetActor],
  [codes.tombstone, tombstoneActor],
  [codes.session, sessionActor],
  [codes.removal, removalActor],
  [codes.composition, compositionActor],
  [codes.render, renderActor],
  [codes.studio, studioActor],
  [codes.measuring, measuringActor],
  [codes.shares, shareActor],
  [codes.directory, directoryActor],
  [codes.expiry, expiryActor],
]);

/** Actors, row codecs, index rules and sweeps that the engine runs for this product. */
export const domain: Domain = {
  actorByCode,
  rowCodecs,
  indexRules: new Map([[codes.job, jobIndex]]),
  // Ids hold creation times, and jobs and renders end later, so this range covers every old one.
  sweeps: [
    {
      source: (partition, nowMs) => ({
        start: createKey(partition, codes.job, ""),
        end: jobKey(firstIdAt(Math.max(0, nowMs - limits.jobs.retentionMs), partition)),
      }),
      message: { kind: "retire" },
    },
    {
      source: (partition, nowMs) => ({
        start: createKey(partition, codes.render, ""),
        end: renderKey(firstIdAt(Math.max(0, nowMs - limits.renders.retentionMs), partition)),
      }),
      message: { kind: "retire" },
    },
    {
      source: (partition, nowMs) => ({
        start: renewalsKey(partition, 0),
        end: renewalsKey(partition, nowMs + 1),
      }),
      findActor: accountOfRenewal,
      message: { kind: "renew" },
    },
  ],
  windows: [{ code: codes.fingerprint, windowMs: limits.jobs.duplicateWindowMs }],
};
