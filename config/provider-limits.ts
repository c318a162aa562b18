/** The bounds of calls to providers, and of what they answer; part of `limits`. */
export const providerLimits = {
  providers: {
    /** The pause after the first submit that a provider did not take; it doubles up to the most. */
    retryMs: 1_000,
    retryMaxMs: 60_000,
    /** How often a job is read at a provider that does not call back, and at one that does. */
    readMs: 5_000,
    callbackReadMs: 20_000,
    /** The share by which a read may come early. */
    readJitter: 0.1,
    /** A job is lost that is lost at two reads so far apart. */
    lostAgainMs: 10_000,
    /** What a provider says about a job, but for its files. */
    replyBytesMax: 8 * 1024 * 1024,
    /** Without an answer for so long a call to a provider has failed. */
    callMs: 30_000,
    /** Of the provider's own name of a job, in characters. */
    refMax: 1_024,
    /** Files that one answer may name. */
    resultFilesMax: 64,
    /** How long a provider that is told so (fal) keeps a result. */
    resultLifeSeconds: 86_400,
    /** How far a callback's time may be from ours. */
    callbackAgeMs: 300_000,
    /** A provider's keys are fetched again at this age, and when none verifies so much later. */
    keysAgeMs: 24 * 60 * 60 * 1000,
    keysAgainMs: 60_000,
    /** How often, and after which pause, a prediction is read to learn what its cancel did. */
    cancelReads: 2,
    cancelReadMs: 1_000,
    /** A server that waits for work so long has lost what it had (cog). */
    idleLostMs: 30_000,
    /** Outputs that came with callbacks and wait to be stored (cog). */
    outcomeBytesMax: 512 * 1024 * 1024,
  },
} as const;
