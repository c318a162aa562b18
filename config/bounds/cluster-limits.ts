/** The bounds of a cluster; part of `limits`. */
export const clusterLimits = {
  cluster: {
    /** How long an owner may answer reads after sending the last record that the log has stored. */
    leaseMs: 2_000,
    /** Interval at which an owner without work appends an empty record. */
    heartbeatMs: 500,
    /** Silence after which a standby considers the owner dead. */
    silenceMs: 3_000,
    /** Extra wait of a standby to which no other node announces itself, of more than two. */
    isolatedMs: 4_000,
    /** Extra wait of the second standby, so that the two standbys do not compete. */
    rankMs: 400,
    /** The standby's extra wait when the owner has handed the shard over. */
    handoverRankMs: 100,
    /** Extra wait of each further node that may take over a shard without an owner. */
    turnMs: 2_000,
    /** Records that the log has stored but not delivered within this time are read from it. */
    fetchMs: 1_000,
    /** Records that are read from the log at a time. */
    fetchRecords: 256,
    /** A shard that waits longer than this for its owner reports why. */
    waitSaidMs: 5_000,
    /** How often a standby checks whether it should take over. */
    followTickMs: 100,
    /** How long an owner tries to append one record before it gives the shard up. */
    appendMs: 10_000,
    appendAgainMs: 100,
    /** Epochs skipped when a loss of records is accepted, so that lost epochs are never reused. */
    lostEpochs: 1_000,
    /** How long a write waits for a standby before its outcome is answered as unknown. */
    quorumMs: 5_000,
    /** How often an owner drops from the log the records that no standby needs. */
    logTrimMs: 60_000,
    /** Above this size the older half of the log is dropped; late standbys join from a snapshot. */
    logBytesMax: 4 * 1024 ** 3,
    /** How often a node announces how far it is. */
    announceMs: 1_000,
    /** Minimum interval between announcements that other nodes are waiting for. */
    pressingMs: 20,
    /** Maximum nodes known at the same time, including those that are gone. */
    nodesMax: 256,
    /** How long a change of permissions waits for every node to have it. */
    spreadMs: 1_000,
    /** How long a request looks for the new owner of a shard that has moved. */
    movedMs: 5_000,
    movedAgainMs: 100,
    /** How long a stopping node keeps answering on open connections, one request each. */
    lingerMs: 1_000,
    /** How long other nodes then have to answer the requests that were forwarded to them. */
    lastAnswersMs: 1_500,
    /** How long the refusals of the remaining requests then have to be sent. */
    closingMs: 250,
    /** Maximum wait for another node's answer. */
    answerMs: 15_000,
    /** Validity of a forwarded request, by the clocks of both nodes. */
    hopMs: 30_000,
    /** Maximum size of the client's headers, which are encoded in one header. */
    hopHeaderBytesMax: 64 * 1024,
    /** Clock difference of a node from which on it is shown to the operator. */
    clockWarnedMs: 5_000,
    /** How often a forwarded request checks that the node it was sent to is alive. */
    hopCheckMs: 500,
    /** Maximum connections to one node, and how many of them are kept open while idle. */
    hopSocketsMax: 4_096,
    hopFreeSocketsMax: 1_024,
    /** The called node keeps idle connections longer, so that no caller uses a closed one. */
    hopIdleMs: 30_000,
    hopKeepAliveMs: 60_000,
    /** Absence after which a returning standby may need a snapshot. */
    standbyGoneMs: 24 * 3_600_000,
    /** A node does not read directory rows that are older than this. */
    staleMs: 5_000,
    /** Time without work after which a shard is handed to its preferred node. */
    balanceMs: 30_000,
    /** Maximum records within that time, beside heartbeats, of a shard without work. */
    balanceRecordsMax: 30,
    /** Time slot in which one shard, each in its turn, checks whether it should be handed over. */
    balanceSlotMs: 2_000,
    /** How often a standby flushes. */
    standbyFlushMs: 1_000,
    /** How often a node that lacks a shard's rows asks for a snapshot, or checks again. */
    snapshotAgainMs: 1_000,
    /** Maximum age of the existing snapshot that a node is given when it asks for one. */
    snapshotFreshMs: 5_000,
    /** Maximum duration of a snapshot: enough for a large store over a slow network. */
    snapshotMs: 3_600_000,
    snapshotMegabytes: 512,
    /** Bytes of a snapshot that are written in one transaction. */
    joinBytes: 4 * 1024 * 1024,
    /** Rows of the node's own tables that are removed in one transaction. */
    joinRows: 10_000,
  },
} as const;
