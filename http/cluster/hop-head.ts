/** What one node tells another of a request that it forwards. Sent as one header, signed. */
import { check, Type } from "../../config/schema.ts";
import { wireVersion } from "../../engine/ports/wire-version.ts";

export const hopHeader = "x-klieg-hop";
export const headSignatureHeader = "x-klieg-signature";
/** Behind the body. */
export const bodySignatureTrailer = "x-klieg-body-signature";
/** In the answer of a node that does not own the shard: nothing was decided. */
export const movedHeader = "x-klieg-moved";
/** In the answer to what is not signed as it must be: nothing was decided. */
export const refusedHeader = "x-klieg-refused";

export interface Hop {
  /** The life of the node that is to answer; every other one takes nothing of it. */
  readonly to: NodeLife;
  /** The client's, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's. */
  readonly address: string;
  /** The id of the credential by which the client is known; undefined for a stranger. */
  readonly credential?: string;
  readonly hasBody: boolean;
  readonly atMs: number;
  /** Drawn for this request. */
  readonly nonce: string;
}

/** A node from its start to its end. */
export interface NodeLife {
  readonly node: string;
  readonly startedAtMs: number;
}

const isHop = check<Hop>(
  Type.Object({
    to: Type.Object({ node: Type.String({ maxLength: 64 }), startedAtMs: Type.Number() }),
    wire: Type.Tuple([Type.Literal(wireVersion.major), Type.Integer({ minimum: 0 })]),
    headers: Type.Record(Type.String(), Type.String()),
    address: Type.String({ maxLength: 64 }),
    credential: Type.Optional(Type.String({ maxLength: 64 })),
    hasBody: Type.Boolean(),
    atMs: Type.Number(),
    nonce: Type.String({ minLength: 16, maxLength: 64 }),
  }),
);

export function writeHop(hop: Hop): string {
  const { major, minor } = wireVersion;
  return Buffer.from(JSON.stringify({ wire: [major, minor], ...hop })).toString("base64url");
}

/** Undefined for what is none, or of another major version. */
export function readHop(header: string): Hop | undefined {
  try {
    const hop: unknown = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    return isHop(hop) ? hop : undefined;
  } catch {
    return undefined;
  }
}
