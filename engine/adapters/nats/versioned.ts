/** Messages between nodes over NATS: MessagePack with the version of the message format. */
import { check, Type } from "../../../config/schema.ts";
import { wireVersion } from "../../ports/wire-version.ts";
import { pack, unpack } from "../message-pack.ts";

const isUnderstood = check<object>(
  Type.Object({
    wire: Type.Tuple([Type.Literal(wireVersion.major), Type.Integer({ minimum: 0 })]),
  }),
);

export function packVersioned(message: object): Uint8Array {
  return pack({ wire: [wireVersion.major, wireVersion.minor], ...message });
}

/** Returns undefined for invalid messages, and for those of another major version. */
export function unpackVersioned(bytes: Uint8Array): object | undefined {
  const message = unpack(bytes);
  return isUnderstood(message) ? message : undefined;
}
