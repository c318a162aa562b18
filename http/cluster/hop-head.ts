/** What a node tells another about a request that it forwards, sent as one signed header. */
import { check, Type } from "../../config/schema.ts";
import { wireVersion } from "../../engine/ports/wire-version.ts";

export const hopHeader = "x-klieg-hop";
export const headSignatureHeader = "x-klieg-signature";
/** Trailer with the signature of the body. */
export const bodySignatureTrailer = "x-klieg-body-signature";
/** Header of an answer from a node that does not own the shard: nothing was decided. */
export const movedHeader = "x-klieg-moved";
/** Header of the answer to a request without a valid signature: nothing was decided. */
export const refusedHeader = "x-klieg-refused";

export interface Hop {
  /** The process that must answer; a later process of the same node refuses the request. */
  readonly to: NodeLife;
  /** Headers of the client's request, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Address of the client. */
  readonly address: string;
  /** Id of the credential that identifies the client; undefined for an unauthenticated one. */
  readonly credential?: string;
  readonly hasBody: boolean;
  readonly atMs: number;
  /** Random value, drawn for this request. */
  readonly nonce: string;
}

/** One process of a node, from its start to its end. */
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

/** Returns the hop, or undefined when it is malformed or of another major version. */
export function readHop(header: string): Hop | undefined {
  try {
    const hop: unknown = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    return isHop(hop) ? hop : undefined;
  } catch {
    return undefined;
  }
}
