import { signingKeyKey } from "../../actors/tables.ts";
import type { Catalogue } from "../../config/catalogue.ts";
import { Gateway } from "../../engine/gateway.ts";
import { IdMint } from "../../engine/id.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { Cursors } from "../../http/cursors.ts";
import { Following } from "../../http/following.ts";
import { JobReads } from "../../http/job-reads.ts";
import { Principals } from "../../http/principals.ts";
import { RateClasses } from "../../http/rate-classes.ts";
import type { Service } from "../../http/service.ts";
import { SignedUrls } from "../../http/signed-urls.ts";

export interface Wiring {
  readonly origin: string;
  readonly shardCount: number;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly objects: Objects;
  readonly catalogue: Catalogue;
  readonly rates: boolean;
  readonly onFault: (error: unknown) => void;
}

/** What routes stand on, tied as `http/main.ts` does; its gateway waits for shards. */
export function wired(wiring: Wiring): Service {
  const { origin, shardCount, clock, entropy, objects, catalogue, rates, onFault } = wiring;
  const baseUrl = `${origin}/v1`;
  const gateway: Gateway = new Gateway(shardCount, 1, {
    listens: () => true,
    changed(key) {
      principals.onWrite(key);
      jobs.onWrite(key);
    },
  });
  const keyFor = (purpose: string) => () => {
    const key = gateway.read(signingKeyKey(purpose));
    invariant(key !== undefined, "the store was bootstrapped");
    return key;
  };
  const principals = new Principals(gateway, clock);
  const signedUrls = new SignedUrls(origin, keyFor("urls"));
  const jobs = new JobReads(gateway, signedUrls, clock, `${baseUrl}/problems`);
  return {
    version: "0.0.0-test",
    baseUrl,
    gateway,
    principals,
    rates: rates ? new RateClasses(clock) : undefined,
    catalogue,
    clock,
    ids: new IdMint(clock, entropy),
    entropy,
    objects,
    signedUrls,
    cursors: new Cursors(keyFor("cursors")),
    jobs,
    following: new Following(gateway),
    health: { isDiskLow: false, isDraining: false, renderers: "ok" },
    onFault: (_, error) => onFault(error),
  };
}
