/** Stops the service: in order on a signal, at once on an error that nothing caught. */
import { limits } from "../config/limits.ts";
import type { Host } from "../engine/host.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { OtherNodes } from "./cluster/other-nodes.ts";
import type { Service } from "./service.ts";
import type { Listener } from "./transport/server.ts";

export interface Running {
  readonly service: Service;
  readonly host: Host;
  /** Undefined until the service listens. */
  readonly listener: Listener | undefined;
  /** Undefined without a cluster. */
  readonly others: OtherNodes | undefined;
  readonly clock: Clock;
}

/** EX_SOFTWARE of sysexits(3): the supervisor restarts the service. */
const brokenCode = 70;

/**
 * New connections are refused, streams and waits end, shards decide what waits and flush. Under 5
 * s. A shard that is still being recovered is not waited for longer: what was acknowledged is in
 * the journals, and the next start reads them as after a crash.
 *
 * In a cluster connections that are there are answered on, by the nodes to which the shards go,
 * each for the last time: a client is told so before its connection closes. What other nodes do
 * not answer soon is refused with 503, so that each request has its answer.
 */
export async function stopAll({ service, host, listener, others, clock }: Running): Promise<void> {
  const { health, following } = service;
  const endStreams = () => {
    following.drain();
    others?.endStreams();
  };
  const pause = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  health.isDraining = true;
  listener?.stopListening();
  const clientsLeave = others === undefined ? undefined : pause(limits.cluster.lingerMs);
  others?.announce();
  endStreams();
  if (host.isSettled) await host.stop();
  else await Promise.race([host.awaitSettled(), pause(limits.http.startingMs)]);
  await clientsLeave;
  // Ends the streams that were opened meanwhile.
  endStreams();
  await listener?.awaitAnswered(limits.cluster.lastAnswersMs);
  endStreams();
  others?.giveUp();
  await listener?.awaitAnswered(limits.cluster.closingMs);
  listener?.close();
  await Promise.all([others?.leave(), service.traces?.close()]);
}

/**
 * The last resort, which no request may be able to trigger. Acknowledged changes are in the
 * journals; streams are asked to reconnect, waits end, other requests get 503, and the process
 * ends, since its state is unknown.
 */
export function abandon({ service: { following, gateway }, listener }: Running): void {
  listener?.stopListening();
  following.drain();
  setImmediate(() => {
    gateway.close();
    setImmediate(() => process.exit(brokenCode));
  });
}
