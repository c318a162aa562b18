/**
 * Configured providers that call back, in the test's own process: the real adapters over a network
 * that accepts each submit, never ends a job, and knows the key that signs for fal.
 */
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { join } from "node:path";
import type { Test } from "tap";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Web, WebAnswer, WebRequest } from "../../engine/ports/web.ts";
import { adapters } from "../../providers/adapters.ts";
import { farModel } from "./quiet-provider.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");

/** Options of a service with the providers `fal` and `near` (cog), for models of those names. */
export function configureCalled(t: Test) {
  const web = new AcceptingWeb();
  const url = "https://provider.test";
  const fal = { name: "fal", adapter: "fal", url, key: { env: "FAL_KEY" } };
  const providers = [
    fal,
    { ...fal, name: "fenced", callback_addresses: ["203.0.113.0/24", "2001:db8::/32"] },
    { name: "near", adapter: "cog", url },
    { name: "graphs", adapter: "comfyui", url },
  ];
  const callback = true;
  const models = [
    { ...farModel, id: "fal", callback },
    { ...farModel, id: "near", provider: "near", provider_model: undefined, callback },
  ];
  const dated = { version: "called", updated_at: "2026-11-20T00:00:00Z" };
  const folder = t.testdir({
    "providers.json": JSON.stringify({ providers }),
    "models.json": JSON.stringify({ ...dated, models }),
  });
  const ports = { web, clock: new ManualClock(0), entropy: createSeededEntropy(3) };
  return {
    web,
    options: {
      modelFiles: ["shipped", join(folder, "models.json")],
      providersFile: join(folder, "providers.json"),
      environment: { FAL_KEY: "s3cr3t" },
      openProvider(config: ProviderConfig) {
        const open = adapters[config.adapter === "comfyui" ? "fal" : config.adapter];
        invariant(open !== undefined, "this version has the adapter");
        return open(config, ports);
      },
    },
  };
}

/** Returns the headers with which fal signs a body. */
export function signAsFal(body: Uint8Array | string, atMs: number): Record<string, string> {
  const seconds = String(Math.floor(atMs / 1000));
  const digest = createHash("sha256").update(body).digest("hex");
  const message = Buffer.from(["call-1", "user-1", seconds, digest].join("\n"));
  return {
    "x-fal-webhook-request-id": "call-1",
    "x-fal-webhook-user-id": "user-1",
    "x-fal-webhook-timestamp": seconds,
    "x-fal-webhook-signature": sign(null, message, privateKey).toString("hex"),
  };
}

export class AcceptingWeb implements Web {
  /** Callback URL of each submit, without its host. */
  readonly callbacks: string[] = [];
  /** The provider's names for the jobs. */
  readonly names: string[] = [];
  /** How often jobs of fal were read. */
  reads = 0;

  async ask(request: WebRequest): Promise<WebAnswer> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/.well-known/jwks.json")
      return answer(200, { keys: [publicKey.export({ format: "jwk" })] });
    if (pathname.endsWith("/cancel")) return answer(200, { status: "OK" });
    const prediction = /^\/predictions\/(\w+)$/.exec(pathname)?.[1];
    if (prediction !== undefined) {
      const { webhook } = JSON.parse(String(request.body)) as { readonly webhook: string };
      this.accept(webhook, prediction);
      return answer(202, { id: prediction, status: "starting" });
    }
    if (request.method === "POST") {
      const name = `r-${this.names.length + 1}`;
      this.accept(searchParams.get("fal_webhook") ?? "", name);
      return answer(200, { request_id: name });
    }
    if (pathname.includes("/requests/r-")) this.reads++;
    return answer(200, { status: pathname === "/health-check" ? "BUSY" : "IN_PROGRESS" });
  }

  async isPrivate(): Promise<boolean> {
    return false;
  }

  private accept(webhook: string, name: string): void {
    this.callbacks.push(webhook.replace(/^https:\/\/[^/]+/, ""));
    this.names.push(name);
  }
}

function answer(status: number, json: object): WebAnswer {
  const body = (async function* () {
    yield Buffer.from(JSON.stringify(json));
  })();
  return { status, headers: {}, body, discard: () => undefined };
}
