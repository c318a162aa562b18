import { type SigningPurpose, signingKeyKey } from "../actors/directory/directory.ts";
import { domain } from "../actors/domain.ts";
import type { Catalogue } from "../config/catalogue.ts";
import { Gateway, ShardDown } from "../engine/gateway.ts";
import { IdMint } from "../engine/id.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Entropy } from "../engine/ports/entropy.ts";
import type { Objects } from "../engine/ports/objects.ts";
import { ProcessClock } from "../engine/process-clock.ts";
import { CompositionTimelines, type ComputeRound } from "./composition-timelines.ts";
import { Cursors } from "./cursors.ts";
import { Following } from "./following.ts";
import { JobReads } from "./job-reads.ts";
import { Principals } from "./principals.ts";
import { Quotes } from "./quotes.ts";
import { RateClasses } from "./rate-classes.ts";
import type { RequestLog } from "./request-log.ts";
import type { CheckState, Service } from "./service.ts";
import { SignedUrls } from "./signed-urls.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

export interface Wiring {
  readonly version: string;
  /** For links that leave the service, without the version prefix. */
  readonly origin: string;
  readonly shardCount: number;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly objects: Objects;
  readonly catalogue: Catalogue;
  readonly readCatalogue: () => Catalogue;
  readonly corsOrigins: readonly string[];
  readonly computeRound: ComputeRound;
  readonly hasRates: boolean;
  readonly proxies: TrustedProxies;
  readonly renderers: CheckState;
  readonly requests: RequestLog;
  readonly onFault: (requestId: string, error: unknown) => void;
}

/** Ties together what routes stand on. Its gateway waits for shards to be attached. */
export function wire(wiring: Wiring): Service {
  const { version, origin, shardCount, entropy, objects, onFault } = wiring;
  const clock = new ProcessClock(wiring.clock);
  let { catalogue } = wiring;
  const baseUrl = `${origin}/v1`;
  const gateway: Gateway = new Gateway(
    shardCount,
    clock,
    {
      listens: (shard) => shard === shardCount || jobs.keepsTexts,
      changed(key) {
        principals.onWrite(key);
        jobs.onWrite(key);
      },
      missed(shard) {
        if (shard === shardCount) principals.forget();
        jobs.forget();
      },
      failed: (error) => onFault("watching", error),
    },
    domain,
  );
  const keyFor = (purpose: SigningPurpose) => () => {
    const key = gateway.read(signingKeyKey(purpose));
    if (key === undefined) throw new ShardDown();
    return key;
  };
  const principals = new Principals(gateway, clock);
  const signedUrls = new SignedUrls(origin, keyFor("urls"));
  const jobs = new JobReads(gateway, signedUrls, clock, `${baseUrl}/problems`);
  return {
    version,
    baseUrl,
    gateway,
    principals,
    corsOrigins: new Set(wiring.corsOrigins),
    rates: wiring.hasRates ? new RateClasses(clock, wiring.proxies) : undefined,
    get catalogue() {
      return catalogue;
    },
    reloadCatalogue() {
      catalogue = wiring.readCatalogue();
    },
    clock,
    ids: new IdMint(clock, entropy),
    entropy,
    objects,
    signedUrls,
    cursors: new Cursors(keyFor("cursors")),
    quotes: new Quotes(keyFor("quotes"), clock, entropy),
    jobs,
    timelines: new CompositionTimelines(gateway, objects, wiring.computeRound),
    following: new Following(gateway),
    health: { isDiskLow: false, isDraining: false, renderers: wiring.renderers },
    requests: wiring.requests,
    onFault,
  };
}
