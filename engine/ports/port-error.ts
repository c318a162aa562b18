/**
 * An operating fault: disk, network, child process or peer. Caught only at the outbox, the task
 * loop and the route wrapper.
 */
export class PortError extends Error {
  readonly retryable: boolean;
  constructor(message: string, retryable: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = "PortError";
    this.retryable = retryable;
  }
}
