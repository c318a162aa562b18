/** Checks that the service can listen at its configured address, or explains why not. */
import { createServer } from "node:net";

/** The service cannot listen at its address; the message is one sentence for the operator. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * Checks the address with a plain listener first: uWS shares a port with other sockets that allow
 * it, and gives no reason when it fails, whereas a plain listener does not share and gives one.
 * Throws `ListenError`.
 */
export function checkFree(options: Place): Promise<void> {
  const { host, port } = options;
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      reject(explainListenError(options, error.code)),
    );
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

function explainListenError(options: Place, code: string | undefined): ListenError {
  const { host, port } = options;
  switch (code) {
    case "EADDRINUSE":
      return createPortTakenError(options);
    case "EACCES":
      return new ListenError(
        `Port ${port} may not be opened by this user; set KLIEG_PORT to a port above 1023.`,
      );
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EADDRNOTAVAIL":
    case "EINVAL":
      return new ListenError(
        `KLIEG_HOST is "${host}", which is not an address of this machine; set it to one that is, for example 127.0.0.1 or 0.0.0.0.`,
      );
    default:
      return new ListenError(`The service cannot listen on ${host}, port ${port} (${code}).`);
  }
}

/** The error for a port that another process took after `checkFree`. */
export function createPortTakenError({ host, port }: Place): ListenError {
  return new ListenError(
    `Port ${port} on ${host} is in use; stop the process that listens there or set KLIEG_PORT to another port.`,
  );
}
