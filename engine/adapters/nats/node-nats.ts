/**
 * All that the processes of a service say over NATS, imported once a server of NATS is configured:
 * its client is 64 files for each thread, a seventh of what a start loads.
 */
export { NatsFarm } from "../farm/nats-farm.ts";
export { openJetStreamLog } from "./jetstream-log.ts";
export { closeNats, connectNats } from "./nats.ts";
export { natsNodes } from "./nats-nodes.ts";
export { natsPeers } from "./nats-peers.ts";
export { natsShardLine } from "./nats-shard-line.ts";
export { natsSnapshots } from "./nats-snapshots.ts";
export { agreeOnStore } from "./nats-store.ts";
export { answerVersion, checkVersion } from "./nats-version.ts";
