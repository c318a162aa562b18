/** What one node tells another of a request that it forwards. Sent as one header, signed. */
import { check, Type } from "../../config/schema.ts";

export const hopHeader = "x-klieg-hop";
export const headSignatureHeader = "x-klieg-signature";
/** Behind the body. */
export const bodySignatureTrailer = "x-klieg-body-signature";
/** In the answer of a node that does not own the shard: nothing was decided. */
export const movedHeader = "x-klieg-moved";

export interface Hop {
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

const isHop = check<Hop>(
  Type.Object(
    {
      headers: Type.Record(Type.String(), Type.String()),
      address: Type.String({ maxLength: 64 }),
      credential: Type.Optional(Type.String({ maxLength: 64 })),
      hasBody: Type.Boolean(),
      atMs: Type.Number(),
      nonce: Type.String({ minLength: 16, maxLength: 64 }),
    },
    { additionalProperties: false },
  ),
);

export function writeHop(hop: Hop): string {
  return Buffer.from(JSON.stringify(hop)).toString("base64url");
}

/** Undefined for what is none. */
export function readHop(header: string): Hop | undefined {
  try {
    const hop: unknown = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    return isHop(hop) ? hop : undefined;
  } catch {
    return undefined;
  }
}
