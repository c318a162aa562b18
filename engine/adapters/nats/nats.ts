/**
 * Connections to NATS; only this file imports its client. An established connection is restored by
 * itself however long the servers are away; messages published meanwhile are lost, which publishers
 * must cope with.
 */
import { setTimeout as delay } from "node:timers/promises";
import {
  connect,
  credsAuthenticator,
  ErrorCode,
  Events,
  type NatsConnection,
  NatsError,
} from "nats";
import { type NatsServer, natsServer } from "../../../config/nats-servers.ts";
import type { NatsAccess } from "../../../config/secret-files.ts";
import { PortError } from "../../ports/port-error.ts";

export type { JetStreamSubscription, NatsConnection, StreamConfig } from "nats";
export { consumerOpts, NatsError, nanos, RetentionPolicy, StorageType } from "nats";

/** Access data of a connection; `name` appears in the server's monitoring. */
export type NamedAccess = NatsAccess & { readonly name: string };

const bounds = {
  connectMs: 5_000,
  reconnectMs: 250,
  jitterMs: 250,
  /** Ping interval; a server with two unanswered pings is given up. */
  pingMs: 2_000,
} as const;

/** Connects; throws `PortError` with one sentence that contains no secret. */
export async function connectNats(access: NamedAccess): Promise<NatsConnection> {
  const servers = access.servers.map(checkServer);
  const isEncrypted = servers.every((server) => server.isEncrypted);
  if (!isEncrypted && servers.some((server) => server.isEncrypted))
    throw new PortError("Either all NATS servers use TLS or none does; correct the URLs.", false);
  try {
    return await connect({
      servers: servers.map(({ address }) => address),
      name: access.name,
      timeout: bounds.connectMs,
      reconnectTimeWait: bounds.reconnectMs,
      reconnectJitter: bounds.jitterMs,
      reconnectJitterTLS: bounds.jitterMs,
      maxReconnectAttempts: -1,
      // A server that is starting may refuse valid credentials, so the client tries again.
      ignoreAuthErrorAbort: true,
      pingInterval: bounds.pingMs,
      maxPingOut: 2,
      // A stack trace for each request, in case it fails, would cost more than the request.
      noAsyncTraces: true,
      // Other servers of the cluster may be used without TLS only if the configured ones are.
      ignoreClusterUpdates: !isEncrypted,
      ...(isEncrypted ? { tls: {} } : {}),
      ...chooseAuthentication(servers, access.credentials?.trim()),
    });
  } catch (error) {
    throw createFault(error, servers.map(({ address }) => address).join(", "));
  }
}

export interface NatsFollower {
  /** Until `back`, no message arrives, and published messages are lost. */
  onLoss(): void;
  back(): void;
  /** The server refuses something, such as a subject, or the client has an error. */
  fault(sentence: string): void;
}

/** Follows the connection's state until the connection is closed. */
export async function followNats(
  connection: NatsConnection,
  follower: NatsFollower,
): Promise<void> {
  for await (const { type, data } of connection.status())
    if (type === Events.Disconnect) follower.onLoss();
    else if (type === Events.Reconnect) follower.back();
    else if (type === Events.Error) follower.fault(`NATS: ${String(data)}`);
}

/**
 * Sends what was published first; when NATS does not answer, waits at most `patienceMs`. A drain
 * does not end by itself when the server stands still.
 */
export async function closeNats(connection: NatsConnection, patienceMs: number): Promise<void> {
  const drained = connection.drain().catch((fault: unknown) => {
    if (!connection.isClosed()) throw fault;
  });
  const isDone = new AbortController();
  const late = delay(patienceMs, undefined, { signal: isDone.signal }).catch(() => undefined);
  try {
    await Promise.race([drained, late]);
  } finally {
    isDone.abort();
    // A drain during which NATS was lost has not closed the connection.
    await connection.close();
  }
}

function checkServer(url: string): NatsServer {
  try {
    return natsServer(url);
  } catch (error) {
    throw new PortError(`KLIEG_NATS_URL ${(error as Error).message}.`, false);
  }
}

interface Authentication {
  readonly user?: string;
  readonly pass?: string;
  readonly authenticator?: ReturnType<typeof credsAuthenticator>;
}

/** A credentials file takes precedence over credentials in a URL. */
function chooseAuthentication(
  servers: readonly NatsServer[],
  credentials: string | undefined,
): Authentication {
  if (credentials?.startsWith("-----") === true)
    return { authenticator: credsAuthenticator(Buffer.from(`${credentials}\n`)) };
  if (credentials !== undefined) {
    const [, user, pass] = /^([^:\n]+):([^\n]+)$/.exec(credentials) ?? [];
    if (user === undefined || pass === undefined) throw new BadCredentials();
    return { user, pass };
  }
  const named = servers.find(({ user }) => user !== undefined);
  if (named === undefined) return {};
  const { user = "", password = "" } = named;
  return { user, pass: password };
}

/**
 * Returns the name of the user as which `access` connects, as part of a subject; `farm` where a
 * credentials file names none.
 */
export function natsUser({ servers, credentials }: NatsAccess): string {
  const { user = "farm" } = chooseAuthentication(servers.map(checkServer), credentials?.trim());
  return user.replaceAll(/[^A-Za-z0-9_-]/g, "-").slice(0, 64);
}

/** Whether a request failed because its subject has no subscriber. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof NatsError && error.code === ErrorCode.NoResponders;
}

class BadCredentials extends Error {}

function createFault(error: unknown, addresses: string): PortError {
  const code = error instanceof NatsError ? error.code : undefined;
  if (error instanceof BadCredentials || code === ErrorCode.BadCreds)
    return new PortError(
      "The file of KLIEG_NATS_CREDENTIALS_FILE contains neither NATS credentials nor user:password.",
      false,
    );
  if (code === ErrorCode.AuthorizationViolation || code === ErrorCode.BadAuthentication)
    return new PortError(`NATS at ${addresses} rejects these credentials.`, false);
  if (code === ErrorCode.ServerOptionNotAvailable)
    return new PortError(`NATS at ${addresses} does not offer TLS.`, false);
  const why = error instanceof Error ? error.message : String(error);
  return new PortError(`NATS at ${addresses} is unreachable (${why}).`, true, error);
}
