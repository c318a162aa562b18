/** The bounds of calls to providers, and of what they answer; part of `limits`. */
export const providerLimits = {
  providers: {
    /** The pause after the first submit that a provider did not take; it doubles up to the most. */
    retryMs: 1_000,
    retryMaxMs: 60_000,
    /** How often a job is read at a provider that does not call back, and at one that does. */
    readMs: 5_000,
    callbackReadMs: 20_000,
    /** The share by which a read may come early, or late where a callback is awaited. */
    readJitter: 0.1,
    /** A job is lost that is lost at two reads so far apart. */
    lostAgainMs: 10_000,
    /** A provider is down after so many calls that failed one after the other. */
    downAfter: 5,
    /** How often one that is down is probed, and one of which nothing was heard. */
    probeMs: 5_000,
    healthMs: 30_000,
    /** How long after a callback its job is read. */
    wakeMs: 20,
    /** How long a callback is waited for where a submit was not answered, at least. */
    unansweredMs: 120_000,
    /** Of results that the provider's own API gives, and of all. */
    streamAttempts: 3,
    streamMs: 300_000,
    resultBytesMax: 2 * 1024 * 1024 * 1024,
    /** Of one asset that is given to a provider: inside of the request, and by an upload. */
    dataUrlBytesMax: 8 * 1024 * 1024,
    uploadBytesMax: 128 * 1024 * 1024,
    /** As many requests are under way at one host. */
    connectionsPerHost: 512,
    /** What a provider says about a job, but for its files. */
    replyBytesMax: 8 * 1024 * 1024,
    /** A server's whole queue, with the graphs of all that wait (comfyui). */
    queueBytesMax: 64 * 1024 * 1024,
    /** A frame of progress, and one that is no picture (comfyui). */
    frameBytesMax: 16 * 1024 * 1024,
    frameTextBytesMax: 1024 * 1024,
    /** Uploaded names of which it is known which servers have them (comfyui). */
    uploadsKept: 10_000,
    /** Without an answer for so long a call to a provider has failed. */
    callMs: 30_000,
    /** A call that is answered with its result is waited for so long at the submit (openai). */
    synchronousMs: 2_000,
    /** Of the provider's own name of a job, in characters. */
    refMax: 1_024,
    /** Names that are remembered as paused; more than a file of providers may have. */
    pausedMax: 200,
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
    /** An outcome of a job that this thread did not ask for until then is not kept (cog). */
    outcomeMs: 120_000,
    /** Outputs that came with callbacks or answers and wait to be stored (cog, openai). */
    outcomeBytesMax: 512 * 1024 * 1024,
  },
  /** What providers call us with. */
  callbacks: {
    perSecond: 100,
    /** How many of a job's last submissions may still be named. */
    submissionsMax: 16,
    bodyBytesMax: 1024 * 1024,
    /** Of a provider whose callback carries the outcome. */
    outcomeBytesMax: 100 * 1024 * 1024,
  },
} as const;
