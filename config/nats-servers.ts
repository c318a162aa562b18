import { BlockList, isIP } from "node:net";

/** One NATS server, as named in `KLIEG_NATS_URL`. */
export interface NatsServer {
  /** Host and port of the server. */
  readonly address: string;
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

const form = "nats://127.0.0.1:4222, or tls://nats.example:4222 on another machine";

/**
 * Parses a server URL. Unencrypted connections are allowed to this machine only. Throws an error
 * whose message says what the URL should be, without the secret in it.
 */
export function natsServer(url: string): NatsServer {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const { protocol, hostname = "", port = "", pathname, search, hash } = parsed ?? {};
  const isEncrypted = protocol === "tls:";
  const rest = `${pathname}${search}${hash}`;
  if (parsed === undefined || hostname === "" || !(isEncrypted || protocol === "nats:"))
    throw new Error(`has a server that is not a NATS URL; set it to ${form}`);
  if (rest !== "" && rest !== "/")
    throw new Error(`has more than a server in ${hostname}${pathname}; set it to ${form}`);
  if (!isEncrypted && !isLoopback(hostname))
    throw new Error(`reaches ${hostname} without TLS; set it to tls://${hostname}:${port || 4222}`);
  return {
    address: `${hostname}:${port || 4222}`,
    isEncrypted,
    user: decodePart(parsed.username),
    password: decodePart(parsed.password),
  };
}

function decodePart(part: string): string | undefined {
  if (part === "") return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error("has a user or password that is not percent-encoded");
  }
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(host);
  if (version === 0) return host === "localhost";
  return loopback.check(host, version === 6 ? "ipv6" : "ipv4");
}
