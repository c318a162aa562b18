/** Callbacks of fal, which it signs with one of its Ed25519 keys. */
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { check, type Static, Type } from "../../config/schema.ts";
import type { AdapterPorts } from "../adapter.ts";
import { KeyCache } from "../key-cache.ts";
import { type Callback, ReplyError } from "../provider.ts";
import { inTime, understand } from "../provider-http.ts";
import { readReply } from "../replies.ts";
import { isTimely } from "../webhook-signatures.ts";

const keySetSchema = Type.Object({ keys: Type.Array(Type.Unknown(), { maxItems: 100 }) });
const isKeySet = check<Static<typeof keySetSchema>>(keySetSchema);

const keySchema = Type.Object({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }),
});
const isKey = check<Static<typeof keySchema>>(keySchema);

const bodySchema = Type.Object({ request_id: Type.String() });
const isBody = check<Static<typeof bodySchema>>(bodySchema);

const defaultUrl = "https://rest.fal.ai/.well-known/jwks.json";

export class FalCallbacks {
  private readonly keys: KeyCache<KeyObject>;

  /** `jwksUrl` is set by the operator and may be anywhere; the API key is not sent there. */
  constructor(jwksUrl: string | undefined, { web, clock }: Pick<AdapterPorts, "web" | "clock">) {
    const mayBePrivate = jwksUrl !== undefined;
    const url = jwksUrl ?? defaultUrl;
    const fetchKeys = () =>
      inTime(clock, async (signal) =>
        parseKeys(await readReply(await web.ask({ url, signal, redirectsMax: 0, mayBePrivate }))),
      );
    this.keys = new KeyCache(fetchKeys, clock);
  }

  /** Rejects with a `PortError` or a `ReplyError` when the keys cannot be fetched. */
  async isSigned({ headers, rawBody }: Callback, nowMs: number): Promise<boolean> {
    const id = headers["x-fal-webhook-request-id"];
    const user = headers["x-fal-webhook-user-id"];
    const seconds = headers["x-fal-webhook-timestamp"];
    const signature = headers["x-fal-webhook-signature"] ?? "";
    if (id === undefined || user === undefined || !isTimely(seconds, nowMs)) return false;
    if (!/^[0-9a-f]{128}$/i.test(signature)) return false;
    const digest = createHash("sha256").update(rawBody).digest("hex");
    const message = Buffer.from([id, user, seconds, digest].join("\n"));
    const signatureBytes = Buffer.from(signature, "hex");
    return this.keys.isVerified((key) => verify(null, message, key, signatureBytes));
  }
}

/** Ignores keys of other kinds. */
function parseKeys(reply: Awaited<ReturnType<typeof readReply>>): KeyObject[] {
  if (reply.status !== 200)
    throw new ReplyError(`The provider's key server answered ${reply.status}.`);
  const { keys } = understand(isKeySet, reply);
  return keys.filter(isKey).map((key) => createPublicKey({ key: { ...key }, format: "jwk" }));
}

/** Id of the request that a callback reports; undefined for a body that is not a callback. */
export function parseRequest(rawBody: Uint8Array): string | undefined {
  try {
    const body: unknown = JSON.parse(Buffer.from(rawBody).toString("utf8"));
    return isBody(body) ? body.request_id : undefined;
  } catch {
    return undefined;
  }
}
