/**
 * Checks at a node's start that it speaks the version of the running nodes: it asks for theirs, in
 * a message whose form is the same in every version, and one of them answers for all. Nodes of
 * another version would neither forward requests to it nor read what it appends to the logs.
 */
import { check, Type } from "../../../config/schema.ts";
import { PortError } from "../../ports/port-error.ts";
import { wireVersion } from "../../ports/wire-version.ts";
import { formatVersion } from "../data-directory.ts";
import { pack, unpack } from "../message-pack.ts";
import type { NatsConnection } from "./nats.ts";

const subject = "VERSION";
const requestMs = 2_000;

interface Spoken {
  readonly wire: readonly [major: number, minor: number];
  /** Format version of the data directory: the meaning of its rows depends on it. */
  readonly format: number;
  readonly release: string;
}

const count = Type.Integer({ minimum: 0 });
const isSpoken = check<Spoken>(
  Type.Object({
    wire: Type.Tuple([count, count]),
    format: count,
    release: Type.String({ maxLength: 64 }),
  }),
);

/** Answers starting nodes for as long as the connection lasts. */
export function answerVersion(connection: NatsConnection, release: string): void {
  const { major, minor } = wireVersion;
  const spoken: Spoken = { wire: [major, minor], format: formatVersion, release };
  connection.subscribe(subject, {
    callback(error, message) {
      if (error === null) message.respond(pack(spoken));
    },
  });
}

/** Throws `PortError` with one sentence when incompatible nodes are alive. */
export async function checkVersion(connection: NatsConnection, release: string): Promise<void> {
  const answer = await connection.request(subject, undefined, { timeout: requestMs }).then(
    ({ data }) => unpack(data),
    // No other node is alive.
    () => undefined,
  );
  if (!isSpoken(answer)) return;
  const [major] = answer.wire;
  if (major === wireVersion.major && answer.format === formatVersion) return;
  throw new PortError(
    `The cluster's nodes run Klieg ${answer.release} (messages ${major}, store ${answer.format}), which is not ` +
      `compatible with this Klieg ${release} (messages ${wireVersion.major}, store ${formatVersion}); ` +
      `install ${answer.release} here, or stop all of them before you start this one.`,
    false,
  );
}
