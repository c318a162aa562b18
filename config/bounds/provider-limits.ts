/** The bounds of calls to providers, and of what they answer; part of `limits`. */
export const providerLimits = {
  providers: {
    /** Delay after the first submit a provider did not accept; it doubles up to the maximum. */
    retryMs: 1_000,
    retryMaxMs: 60_000,
    /** How often a job is read at a provider without callbacks, and at one with callbacks. */
    readMs: 5_000,
    callbackReadMs: 20_000,
    /** Share of the interval by which a read may be early, or late while a callback is awaited. */
    readJitter: 0.1,
    /** A job counts as lost when it is missing at two reads that are this far apart. */
    lostAgainMs: 10_000,
    /** Consecutive failed calls after which a provider is considered down. */
    downAfter: 5,
    /** How often a provider that is down is probed, and one that has been idle. */
    probeMs: 5_000,
    healthMs: 30_000,
    /** Delay between a callback and the read of its job. */
    wakeMs: 20,
    /** Minimum wait for a callback when a submit was not answered. */
    unansweredMs: 120_000,
    /** Tries and time for a result from the provider's own API, and maximum size of any result. */
    streamAttempts: 3,
    streamMs: 300_000,
    resultBytesMax: 2 * 1024 * 1024 * 1024,
    /** Maximum size of one asset for a provider: inside the request, and as an upload. */
    dataUrlBytesMax: 8 * 1024 * 1024,
    uploadBytesMax: 128 * 1024 * 1024,
    /** Maximum concurrent requests to one host. */
    connectionsPerHost: 512,
    /** Maximum size of a provider's reply about a job, without its files. */
    replyBytesMax: 8 * 1024 * 1024,
    /** Maximum size of a server's whole queue, with the graphs of all waiting jobs (comfyui). */
    queueBytesMax: 64 * 1024 * 1024,
    /** Maximum size of a progress frame, and of one that is not a picture (comfyui). */
    frameBytesMax: 16 * 1024 * 1024,
    frameTextBytesMax: 1024 * 1024,
    /** Uploads for which the service remembers which servers have them (comfyui). */
    uploadsKept: 10_000,
    /** Time without an answer after which a call to a provider has failed. */
    callMs: 30_000,
    /** How long a submit waits for a call that is answered with its result (openai). */
    synchronousMs: 2_000,
    /** Maximum length of the provider's own name of a job, in characters. */
    refMax: 1_024,
    /** Maximum remembered names of paused providers; more than a file of providers may have. */
    pausedMax: 200,
    /** How long a provider should keep a result, for those that accept such a setting (fal). */
    resultLifeSeconds: 86_400,
    /** Maximum difference between a callback's timestamp and this service's clock. */
    callbackAgeMs: 300_000,
    /** Age at which a provider's keys are fetched again, and the wait when none verifies. */
    keysAgeMs: 24 * 60 * 60 * 1000,
    keysAgainMs: 60_000,
    /** How often, and at which interval, a prediction is read to learn what its cancel did. */
    cancelReads: 2,
    cancelReadMs: 1_000,
    /** A server that has been idle for this long has lost the job it had (cog). */
    idleLostMs: 30_000,
    /** How long the outcome of a job that this thread did not ask for is kept (cog). */
    outcomeMs: 120_000,
    /** Maximum size of outputs from callbacks or answers that wait to be stored (cog, openai). */
    outcomeBytesMax: 512 * 1024 * 1024,
  },
  /** Bounds of the callbacks that providers send. */
  callbacks: {
    perSecond: 100,
    /** How many of a job's most recent submissions a callback may still refer to. */
    submissionsMax: 16,
    bodyBytesMax: 1024 * 1024,
    /** Maximum body size for a provider whose callback carries the outcome. */
    outcomeBytesMax: 100 * 1024 * 1024,
  },
} as const;
