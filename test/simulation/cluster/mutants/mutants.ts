/** One-line breaks of engine and actors, each of which the simulation has to find. */
export interface Mutant {
  /** Path of the source file. */
  readonly path: string;
  /** Text to replace, which occurs once in the compiled file. */
  readonly text: string;
  readonly replacement: string;
  /** What the mutant breaks. */
  readonly breaks: string;
}

const shard = "engine/shard";

export const mutants: readonly Mutant[] = [
  {
    path: `${shard}/log/owned-log.ts`,
    text: "this.lastSentMs = begunMs;",
    replacement: "this.lastSentMs = this.clock.monotonicMs();",
    breaks: "The lease counts from the log's answer instead of from the question.",
  },
  {
    path: `${shard}/shard.ts`,
    text: "Math.min(seq, ownership.spareSeq?.() ?? seq)",
    replacement: "seq",
    breaks: "An owner trims its journal without asking for its standbys.",
  },
  {
    path: `${shard}/shard.ts`,
    text: "await this.stores.journal.append(seq, bytes);",
    replacement: "void this.stores.journal.append(seq, bytes);",
    breaks: "An owner does not wait until its journal is flushed.",
  },
  {
    path: `${shard}/follower.ts`,
    text: "await journal.append(seq, record);",
    replacement: "void journal.append(seq, record);",
    breaks: "A standby says that it has what its journal has not flushed.",
  },
  {
    path: "effects/provider-submits.ts",
    text: "return this.reconcile(job);",
    replacement: "return this.beginAgain(job);",
    breaks: "A submission of unknown outcome is sent again.",
  },
  {
    path: "effects/provider-submits.ts",
    text: "admit: () => this.mark(job),",
    replacement: "admit: () => void this.send(job, ++job.submits),",
    breaks: "A job is submitted before the mark of it is durable.",
  },
  {
    path: "actors/job/creation.ts",
    text: "isEphemeral || !(wasSent || isCanceled)",
    replacement: "true",
    breaks: "A job that may have been sent is submitted anew by the next owner.",
  },
  {
    path: `${shard}/follower.ts`,
    text: "replica.position.logSeq < this.target.logSeq",
    replacement: "false",
    breaks: "A follower lets read before it is current.",
  },
  {
    path: `${shard}/succession.ts`,
    text: "survey.missing.length === 0 ? 0 : silenceMs + announceMs",
    replacement: "0",
    breaks: "The last owner goes on before every node that lives can have been heard.",
  },
  {
    path: `${shard}/log/owned-log.ts`,
    text: "asBuffer(entry.record).equals(record)",
    replacement: "true",
    breaks: "Another owner's record is taken for one's own.",
  },
  {
    path: `${shard}/log/owned-log.ts`,
    text: "this.stored === 1",
    replacement: "false",
    breaks: "An owner opens although the log has another record in its first one's place.",
  },
  {
    path: `${shard}/log/unopened-epoch.ts`,
    text: "seq > 0 && position.seq === seq + 1",
    replacement: "false",
    breaks: "A first record that the log has lost counts as the latest of all.",
  },
  {
    path: `${shard}/quorum.ts`,
    text: "if (!this.areKnown())",
    replacement: "if (this.areKnown()) return true;\nif (true)",
    breaks: "A write is answered before a standby has it.",
  },
  {
    path: `${shard}/batch.ts`,
    text: 'typeof last === "string" && parsePlace(origin.key) <= last',
    replacement: "false",
    breaks: "A tell that comes twice counts twice.",
  },
  {
    path: "engine/outbox.ts",
    text: "(await Promise.all(outcomes)).every((isDurable) => isDurable)",
    replacement: "outcomes.length > 0",
    breaks: "A tell is acknowledged before it is durable.",
  },
  {
    path: "engine/outbox.ts",
    text: "from now on.\n        void this.carry(shard);",
    replacement: "from now on.",
    breaks: "Tells to a shard that has left wait until another tell follows.",
  },
  {
    path: "engine/gateway.ts",
    text: "end.leaseEndsMs >= this.clock.monotonicMs()",
    replacement: "true",
    breaks: "An owner answers reads when its lease has ended.",
  },
  {
    path: `${shard}/standbys.ts`,
    text: "isMost && (owner.isQuorum || isHeard(owner.node))",
    replacement: "true",
    breaks: "A log is filled again by a node that has heard none of the others.",
  },
  {
    path: `${shard}/standbys.ts`,
    text: "other.epoch > epoch || (other.epoch === epoch && other.seq > seq)",
    replacement: "false",
    breaks: "A node goes on though another has more records.",
  },
  {
    path: `${shard}/log/log-filling.ts`,
    text: "await log.restart();",
    replacement: "return undefined;",
    breaks: "A log that has lost its end is never begun anew.",
  },
  {
    path: `${shard}/log/log-filling.ts`,
    text: "await log.agreedEnd()",
    replacement: "await log.end()",
    breaks: "A log that has more than one of its servers shows is emptied.",
  },
  {
    path: `${shard}/log/log-filling.ts`,
    text: "this.stillMs < turnMs",
    replacement: "false",
    breaks: "A node empties a log that another one fills.",
  },
  {
    path: `${shard}/cluster-shard.ts`,
    text: "previous?.node !== node",
    replacement: "false",
    breaks: "A node goes on with what it had under way before another node owned the shard.",
  },
  {
    path: `${shard}/joining.ts`,
    text: "await journal.restart(seq);",
    replacement: "",
    breaks: "The records before a snapshot stay in the journal.",
  },
  {
    path: `${shard}/follower.ts`,
    text: "Math.min(replica.flushedSeq, this.parts.standbys.durableSeq)",
    replacement: "replica.position.seq",
    breaks: "A standby trims records that are not in its tables.",
  },
  {
    path: `${shard}/log/log-place.ts`,
    text: "logEpoch: Number.POSITIVE_INFINITY",
    replacement: "logEpoch: 0",
    breaks: "A node fills a log whose records behind its own were trimmed.",
  },
  {
    path: "actors/account/submit.ts",
    text: "return [put(fingerprintKey(getPartition(ctx.self), fingerprint), idBytes(job))];",
    replacement: "return [];",
    breaks: "An account forgets the fingerprint of a job.",
  },
  {
    path: "actors/account/following.ts",
    text: "next.held -= hold;",
    replacement: "next.held -= 0;",
    breaks: "An account keeps a hold that was resolved.",
  },
  {
    path: `${shard}/succession.ts`,
    text: "standbys.findEverAhead(replica.position).length === 0",
    replacement: "standbys.findAhead(replica.position).length === 0",
    breaks: "A standby takes over from a log that has lost what another node has had.",
  },
  {
    path: `${shard}/follower.ts`,
    text: "this.isStandby || !this.parts.succession.isMember",
    replacement: "this.isStandby",
    breaks: "A standby takes over before the members know that they have to look for it.",
  },
  {
    path: `${shard}/follower.ts`,
    text: "if (nowMs - this.heardMs > limits.cluster.staleMs)",
    replacement: "if (false)",
    breaks: "A follower lets read what is as old as it was away.",
  },
  {
    path: `${shard}/follower.ts`,
    text: "(await this.reader.agreedEnd())?.logSeq",
    replacement: "(await this.reader.end())?.logSeq",
    breaks: "A follower lets read what a server shows that the others have left.",
  },
  {
    path: "engine/reshard/shard-split.ts",
    text: "parent.get(createSeenKey(getParent({ shard, shardCount }, oldCount)))",
    replacement: "undefined",
    breaks: "New shards do not know which tells their parents have had.",
  },
  {
    path: "engine/adapters/reshard-cluster.ts",
    text: "const { logSeq: lastSeq } = await log.end();",
    replacement: "const { logSeq: lastSeq } = place;",
    breaks: "New shards begin without what their log had behind their node's records.",
  },
  {
    path: "engine/adapters/reshard-cluster.ts",
    text: "epoch: this.formerEpoch + 1,",
    replacement: "epoch: 1,",
    breaks: "New shards begin in an epoch that their parent has had.",
  },
  {
    path: "http/streams/state-stream.ts",
    text: "streamed.getVersion(state) <= streamed.getVersion(shown)",
    replacement: "false",
    breaks: "A stream says a version that it has said.",
  },
  {
    path: "http/streams/state-stream.ts",
    text: 'frames.last("complete", view.outcome, view.place);',
    replacement: 'frames.say("complete", view.outcome, view.place);',
    breaks: "A stream does not end behind its last version.",
  },
];
