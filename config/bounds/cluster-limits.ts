/** The bounds of a cluster; part of `limits`. */
export const clusterLimits = {
  cluster: {
    /** From the sending of the last record that the log has stored, its owner answers reads. */
    leaseMs: 2_000,
    /** An owner without work appends an empty record so often. */
    heartbeatMs: 500,
    /** An owner of which a standby has heard nothing for so long is taken for dead. */
    silenceMs: 3_000,
    /** Of two standbys the second waits so much longer, that they do not compete. */
    rankMs: 400,
    /** The same when the owner has handed the shard over. */
    handoverRankMs: 100,
    /** Of nodes that may go on with a shard without an owner, each further one waits so much. */
    turnMs: 2_000,
    /** What the log has and did not deliver for so long is read from it, */
    fetchMs: 1_000,
    /** so many records at a time. */
    fetchRecords: 256,
    /** A shard that waits for its owner longer says why. */
    waitSaidMs: 5_000,
    /** How often a standby looks whether it is to take over. */
    followTickMs: 100,
    /** How long an owner tries to append one record before it gives the shard up. */
    appendMs: 10_000,
    appendAgainMs: 100,
    /** Epochs that may be among records whose loss was accepted; numbers of those never return. */
    lostEpochs: 1_000,
    /** How long a write waits for a standby before it is answered that its outcome is unknown. */
    quorumMs: 5_000,
    /** How often an owner drops from the log what no standby needs. */
    logTrimMs: 60_000,
    /** Of a larger log the older half is dropped: who needs it joins from a snapshot. */
    logBytesMax: 4 * 1024 ** 3,
    /** How often a node says how far it is. */
    announceMs: 1_000,
    /** What other nodes wait for is announced no more often than this. */
    pressingMs: 20,
    /** Known at the same time, those that are gone among them. */
    nodesMax: 256,
    /** For so long a change of rights waits until every node has it. */
    spreadMs: 1_000,
    /** For so long a shard that has moved is asked for. */
    movedMs: 5_000,
    movedAgainMs: 100,
    /** A node that stops answers for so long on connections that are there, each once more. */
    lingerMs: 1_000,
    /** Then other nodes have so long to answer what was forwarded to them, */
    lastAnswersMs: 1_500,
    /** and refusals of the rest so long to go out. */
    closingMs: 250,
    /** Another node's answer is not awaited longer. */
    answerMs: 15_000,
    /** A forwarded request is good for so long, by the clocks of both nodes. */
    hopMs: 30_000,
    /** The client's headers, encoded in one. */
    hopHeaderBytesMax: 64 * 1024,
    /** A node's clock that is off by so much is shown to the operator. */
    clockWarnedMs: 5_000,
    /** How often it is looked whether the node that is asked lives. */
    hopCheckMs: 500,
    /** Connections to one node, and those of them that are kept without a request. */
    hopSocketsMax: 4_096,
    hopFreeSocketsMax: 1_024,
    /** Kept so long by who asks, and longer by who is asked, so that neither meets a closed one. */
    hopIdleMs: 30_000,
    hopKeepAliveMs: 60_000,
    /** A standby that was not heard of for so long may need a snapshot when it comes back. */
    standbyGoneMs: 24 * 3_600_000,
    /** What a node has not heard of for so long, it does not read: the directory's rows. */
    staleMs: 5_000,
    /** A shard without work is handed to the node that comes first for it after so long. */
    balanceMs: 30_000,
    /** In which it had at most so many records beside its heartbeats. */
    balanceRecordsMax: 30,
    /** One shard after the other looks whether it is to be handed over. */
    balanceSlotMs: 2_000,
    /** A standby flushes so often. */
    standbyFlushMs: 1_000,
    /** How often a node that lacks a shard's rows asks for a snapshot, or looks anew. */
    snapshotAgainMs: 1_000,
    /** Who asks for a snapshot is given one that is not older. */
    snapshotFreshMs: 5_000,
    /** A snapshot of a large store over a slow network. */
    snapshotMs: 3_600_000,
    snapshotMegabytes: 512,
    /** Of a snapshot, written in one transaction. */
    joinBytes: 4 * 1024 * 1024,
    /** Of the own tables, removed in one transaction. */
    joinRows: 10_000,
  },
} as const;
