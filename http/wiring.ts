import {
  type SigningKey,
  type SigningPurpose,
  signingKeyKey,
} from "../actors/directory/directory.ts";
import { pausedProvidersKey } from "../actors/directory/paused-providers.ts";
import { domain } from "../actors/domain.ts";
import type { Configuration } from "../config/configuration.ts";
import { listProviderModels } from "../config/providers/provider-models.ts";
import type { LinkQuestion } from "../effects/effects-messages.ts";
import { Gateway } from "../engine/gateway.ts";
import { IdMint } from "../engine/id.ts";
import { Tally } from "../engine/metrics/tally.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Entropy } from "../engine/ports/entropy.ts";
import type { Objects } from "../engine/ports/objects.ts";
import type { Traces } from "../engine/ports/traces.ts";
import { ProcessClock } from "../engine/process-clock.ts";
import { ShardDown } from "../engine/reading/shard-end.ts";
import { Principals } from "./auth/principals.ts";
import { RateClasses } from "./auth/rate-classes.ts";
import { SignInLink } from "./auth/sign-in-link.ts";
import { SignedUrls } from "./auth/signed-urls.ts";
import { Warnings } from "./cluster/warnings.ts";
import { CompositionTimelines, type ComputeRound } from "./compositions/composition-timelines.ts";
import type { FigmaHost } from "./compositions/figma-host.ts";
import { JobReads } from "./jobs/job-reads.ts";
import { Quotes } from "./jobs/quotes.ts";
import { Cursors } from "./paging/cursors.ts";
import type { WritePage } from "./previews/open-preview.ts";
import { PreviewTickets } from "./previews/preview-tickets.ts";
import { StoredPreviews } from "./previews/stored-previews.ts";
import { CallbackRates } from "./providers/callback-rates.ts";
import { CallbackTokens } from "./providers/callback-tokens.ts";
import { PausedProviders } from "./providers/paused-providers.ts";
import { type LinePorts, ProviderLine } from "./providers/provider-line.ts";
import type { RequestLog } from "./request-log.ts";
import type { CheckState, OwnNode, Service, WriteExport } from "./service.ts";
import type { ShareAccess } from "./shares/share-access.ts";
import { type HashPassword, SharePasswords } from "./shares/share-passwords.ts";
import { ShareRates } from "./shares/share-rates.ts";
import { UnlockCookies } from "./shares/unlock-cookies.ts";
import { Following } from "./streams/job-watchers.ts";
import type { TrustedProxies } from "./transport/trusted-proxies.ts";

export interface Wiring {
  readonly version: string;
  readonly self: OwnNode;
  /** Origin for links that leave the service, without the version prefix. */
  readonly origin: string;
  /** Origin for share links, likewise. */
  readonly shareOrigin: string;
  readonly shardCount: number;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly objects: Objects;
  readonly configuration: Configuration;
  readonly readConfiguration: () => Configuration;
  readonly corsOrigins: readonly string[];
  readonly computeRound: ComputeRound;
  readonly writePage: WritePage;
  readonly writeExport: WriteExport;
  readonly figma: FigmaHost;
  readonly hashPassword: HashPassword;
  /** Reads the first token from the data directory. */
  readonly readFirstToken: () => string | undefined;
  readonly hasRates: boolean;
  readonly proxies: TrustedProxies;
  readonly renderers: CheckState;
  readonly requests: RequestLog;
  readonly traces: Traces | undefined;
  readonly onFault: (requestId: string, error: unknown) => void;
}

/** Builds the dependencies of routes. The gateway waits for shards to be attached. */
export function wire(wiring: Wiring): Service {
  const { version, origin, entropy, objects, proxies, onFault } = wiring;
  const clock = new ProcessClock(wiring.clock);
  let { configuration } = wiring;
  const baseUrl = `${origin}/v1`;
  const gateway = openGateway(wiring, clock, () => ({ principals, jobs, following }));
  const following: Following = new Following(gateway);
  const keyFor = createKeyReader(gateway);
  const principals: Principals = new Principals(gateway, clock);
  const signedUrls = new SignedUrls(origin, keyFor("urls"));
  const callbackTokens = new CallbackTokens(baseUrl, keyFor("callbacks"));
  const sign = createSigning(callbackTokens, signedUrls, clock);
  const paused = new PausedProviders(gateway);
  const line = openLine(wiring, { configuration: () => configuration, paused, sign });
  gateway.watch(pausedProvidersKey, () => line.refresh());
  const jobs: JobReads = new JobReads(gateway, signedUrls, clock, `${baseUrl}/problems`);
  return {
    version,
    self: wiring.self,
    baseUrl,
    gateway,
    principals,
    proxies,
    corsOrigins: new Set(wiring.corsOrigins),
    rates: wiring.hasRates ? new RateClasses(clock, proxies) : undefined,
    get catalogue() {
      return configuration.catalogue;
    },
    get providers() {
      return configuration.providers;
    },
    reloadCatalogue() {
      configuration = wiring.readConfiguration();
      line.refresh();
    },
    clock,
    entropy,
    objects,
    signedUrls,
    ids: new IdMint(clock, entropy),
    line,
    paused,
    callbackTokens,
    callbackRates: new CallbackRates(clock, proxies),
    ...createKeyed(wiring, clock, keyFor),
    jobs,
    following,
    timelines: new CompositionTimelines(gateway, objects, wiring.computeRound),
    previews: new StoredPreviews(),
    signInLink: new SignInLink(clock, entropy, wiring.readFirstToken),
    writePage: wiring.writePage,
    writeExport: wiring.writeExport,
    figma: wiring.figma,
    requests: wiring.requests,
    traces: wiring.traces,
    onFault,
    ...createState(wiring.renderers),
  };
}

type KeyReader = (purpose: SigningPurpose) => () => SigningKey;

/** Creates readers of signing keys, which throw `ShardDown` while the directory is unreadable. */
function createKeyReader(gateway: Gateway): KeyReader {
  return (purpose) => () => {
    const key = gateway.read(signingKeyKey(purpose));
    if (key === undefined) throw new ShardDown();
    return key;
  };
}

/** Creates what signs the addresses that a provider gets with a job. */
function createSigning(tokens: CallbackTokens, urls: SignedUrls, clock: Clock) {
  return ({ provider, job, number, objectKeys }: LinkQuestion) => ({
    callbackUrl: tokens.urlFor(provider, job, number),
    urls: objectKeys.map((key) => urls.sign(key, clock.nowMs()).url),
  });
}

/** Creates the parts that sign what clients bring back. */
function createKeyed(wiring: Wiring, clock: Clock, keyFor: KeyReader) {
  return {
    shares: openShares(wiring, clock, keyFor("urls")),
    cursors: new Cursors(keyFor("cursors")),
    quotes: new Quotes(keyFor("quotes"), clock, wiring.entropy),
    previewTickets: new PreviewTickets(keyFor("urls")),
  };
}

/** Creates what changes while the service runs, as it is at the start. */
function createState(
  renderers: CheckState,
): Pick<Service, "health" | "tally" | "minutes" | "warnings" | "cluster"> {
  return {
    health: { isDiskLow: false, areObjectsAway: false, isDraining: false, renderers },
    tally: new Tally(),
    minutes: undefined,
    warnings: new Warnings(),
    cluster: undefined,
  };
}

/** `readers` cache what they read, until the gateway reports a change. */
function openGateway(
  { shardCount, entropy, onFault }: Wiring,
  clock: ProcessClock,
  readers: () => Pick<Service, "principals" | "jobs" | "following">,
): Gateway {
  return new Gateway(
    shardCount,
    clock,
    {
      listens: (shard) => shard === shardCount || readers().jobs.keepsTexts,
      onChange(key) {
        const { principals, jobs } = readers();
        principals.onWrite(key);
        jobs.onWrite(key);
      },
      onMiss(shard) {
        const { principals, jobs } = readers();
        if (shard === shardCount) principals.forget();
        jobs.forget();
      },
      onLeave: (shard) => readers().following.drainShard(shard),
      onFailure: (error) => onFault("watching", error),
    },
    domain,
    firstRequest(entropy),
  );
}

/** A random starting point, so that request ids of an earlier process are never reused. */
function firstRequest(entropy: Entropy): number {
  return Buffer.from(entropy.bytes(6)).readUIntBE(0, 6) * 16;
}

interface LineParts extends Pick<LinePorts, "sign"> {
  /** Returns the current configuration. */
  readonly configuration: () => Configuration;
  readonly paused: PausedProviders;
}

function openLine({ onFault }: Wiring, { configuration, paused, sign }: LineParts): ProviderLine {
  return new ProviderLine({
    setup() {
      const { providers, catalogue } = configuration();
      return { configs: providers, models: listProviderModels(catalogue), paused: paused.names() };
    },
    sign,
    onFault: (error) => onFault("providers", error),
  });
}

/** `key` signs links to media and the unlock cookies. */
function openShares(
  { shareOrigin, entropy, proxies, hasRates, hashPassword }: Wiring,
  clock: Clock,
  key: () => SigningKey,
): ShareAccess {
  return {
    linksUrl: `${shareOrigin}/v1/share`,
    mediaUrls: new SignedUrls(shareOrigin, key),
    rates: new ShareRates(clock, entropy, proxies, hasRates),
    passwords: new SharePasswords(hashPassword, entropy),
    cookies: new UnlockCookies(key, shareOrigin.startsWith("https:")),
  };
}
