/**
 * Connections to NATS, the only importer of its client. A connection that was made once comes back
 * by itself however long the servers are away; what is published meanwhile is lost, which
 * its publisher must know how to do without.
 */
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

/** `name` is shown by the server's monitoring. */
export type NamedAccess = NatsAccess & { readonly name: string };

const bounds = {
  connectMs: 5_000,
  reconnectMs: 250,
  jitterMs: 250,
  /** A server that owes two answers is given up. */
  pingMs: 2_000,
} as const;

/** Throws `PortError` with one sentence that names no secret. */
export async function connectNats(access: NamedAccess): Promise<NatsConnection> {
  const servers = access.servers.map(checkServer);
  const isEncrypted = servers.every((server) => server.isEncrypted);
  if (!isEncrypted && servers.some((server) => server.isEncrypted))
    throw new PortError("The servers of NATS are reached either all with TLS or none.", false);
  try {
    return await connect({
      servers: servers.map(({ address }) => address),
      name: access.name,
      timeout: bounds.connectMs,
      reconnectTimeWait: bounds.reconnectMs,
      reconnectJitter: bounds.jitterMs,
      reconnectJitterTLS: bounds.jitterMs,
      maxReconnectAttempts: -1,
      // Credentials that a server refuses while it starts are right later.
      ignoreAuthErrorAbort: true,
      pingInterval: bounds.pingMs,
      maxPingOut: 2,
      // A trace for each request in case it fails costs more than the request.
      noAsyncTraces: true,
      // Servers that others name may be reached without TLS only if ours are.
      ignoreClusterUpdates: !isEncrypted,
      ...(isEncrypted ? { tls: {} } : {}),
      ...chooseAuthentication(servers, access.credentials?.trim()),
    });
  } catch (error) {
    throw createFault(error, servers.map(({ address }) => address).join(", "));
  }
}

export interface NatsFollower {
  /** Nothing arrives, and what is published is lost, until `back`. */
  onLoss(): void;
  back(): void;
  /** The server refuses something, such as a subject, or the client has a fault. */
  fault(sentence: string): void;
}

/** Until the connection is closed. */
export async function followNats(
  connection: NatsConnection,
  follower: NatsFollower,
): Promise<void> {
  for await (const { type, data } of connection.status())
    if (type === Events.Disconnect) follower.onLoss();
    else if (type === Events.Reconnect) follower.back();
    else if (type === Events.Error) follower.fault(`NATS: ${String(data)}`);
}

/** What was published goes out first; where NATS is away, not for longer than `patienceMs`. */
export async function closeNats(connection: NatsConnection, patienceMs: number): Promise<void> {
  const late = setTimeout(() => void connection.close(), patienceMs);
  try {
    await connection.drain();
  } catch (fault) {
    if (!connection.isClosed()) throw fault;
  } finally {
    clearTimeout(late);
    // A drain that NATS went away from has not closed it.
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

/** A file goes before what stands in a URL. */
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
 * The name of the user as which `access` connects, as part of a subject; `farm` where a file of
 * credentials names none.
 */
export function natsUser({ servers, credentials }: NatsAccess): string {
  const { user = "farm" } = chooseAuthentication(servers.map(checkServer), credentials?.trim());
  return user.replaceAll(/[^A-Za-z0-9_-]/g, "-").slice(0, 64);
}

/** Whether a request found none that answers its subject. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof NatsError && error.code === ErrorCode.NoResponders;
}

class BadCredentials extends Error {}

function createFault(error: unknown, addresses: string): PortError {
  const code = error instanceof NatsError ? error.code : undefined;
  if (error instanceof BadCredentials || code === ErrorCode.BadCreds)
    return new PortError(
      "The file of KLIEG_NATS_CREDENTIALS_FILE holds neither credentials of NATS nor user:password.",
      false,
    );
  if (code === ErrorCode.AuthorizationViolation || code === ErrorCode.BadAuthentication)
    return new PortError(`NATS at ${addresses} refuses these credentials.`, false);
  if (code === ErrorCode.ServerOptionNotAvailable)
    return new PortError(`NATS at ${addresses} does not offer TLS.`, false);
  const why = error instanceof Error ? error.message : String(error);
  return new PortError(`NATS at ${addresses} cannot be reached (${why}).`, true, error);
}
