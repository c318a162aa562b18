/**
 * Every bound of the service, by the part that it guards. Sizes in bytes, times in milliseconds
 * unless named otherwise. An operator may change all but the engine's (`KLIEG_LIMITS`).
 */

import { accessLimits } from "./bounds/access-limits.ts";
import { clusterLimits } from "./bounds/cluster-limits.ts";
import { exportLimits } from "./bounds/export-limits.ts";
import { farmLimits } from "./bounds/farm-limits.ts";
import { providerLimits } from "./bounds/provider-limits.ts";
import { checkSections, overridden } from "./overrides.ts";

const shipped = {
  http: {
    urlBytesMax: 8 * 1024,
    headerBytesMax: 16 * 1024,
    /** Bodies of generation and cost requests; of other JSON requests. */
    generationBodyMax: 256 * 1024,
    jsonBodyMax: 1024 * 1024,
    jsonDepthMax: 32,
    /**
     * Colons and commas of a JSON text; members and items, at all depths but inside what is passed
     * on as it came.
     */
    jsonTokensMax: 10_000,
    jsonEntriesMax: 2_000,
    /** A client that has begun to send a body may be silent so long; looked at every so often. */
    bodyIdleMs: 30_000,
    bodyIdleCheckMs: 5_000,
    /** What is read of a refused body and dropped, before the connection is closed on it. */
    drainBytesMax: 1024 ** 3,
    signedUrlSeconds: 3_600,
    streamUnsentMax: 64 * 1024,
    streamMs: 3_600_000,
    keepAliveMs: 15_000,
    /** Frames that change only progress: at most one in this time. */
    progressFrameMs: 250,
    /** Principals remembered by token, so that a bearer costs no hash and no look-up. */
    principalsMax: 100_000,
    /** Views of jobs kept for the next poll. */
    jobViewsMax: 50_000,
    retryAfterSeconds: 1,
    diskCheckMs: 5_000,
    farmCheckMs: 5_000,
    /** How often the service looks whether the operator asked for a new first credential. */
    tokenResetCheckMs: 1_000,
    /** Below the larger of the two, submits answer 503. */
    diskFreeBytesMin: 1024 ** 3,
    diskFreeShareMin: 0.05,
    /** Of a body that its reader does not take; then the client's connection waits. */
    queuedBytesMax: 1024 * 1024,
    /** For threads that are still starting when the service is stopped. */
    startingMs: 4_000,
  },
  log: {
    /** Lines of requests that did not fail; of others there is always one. */
    requestsPerSecond: 50,
    /** Lines a thread of shards writes of jobs that ended, and of those that failed. */
    endsPerSecond: 50,
    failuresPerSecond: 200,
  },
  /** How long metrics wait for a thread that is busy. */
  metrics: { gatherMs: 1_000 },
  /** Requests per account and minute, and per address without a valid bearer. */
  rates: {
    windowSeconds: 60,
    read: 600,
    submit: 120,
    write: 240,
    upload: 60,
    anonymous: 60,
  },
  jobs: {
    failureMessageMax: 500,
    /** Warnings of a job that succeeded. */
    warningsMax: 4,
    warningMax: 300,
    /** A pending settlement is refunded this long after the job's deadline. */
    settlementGraceMs: 3_600_000,
    /** Jobs that ended so long ago are forgotten. */
    retentionMs: 400 * 86_400_000,
    /** How long a cancel waits for the provider's answer, and how many wait for the same one. */
    cancelAnswerMs: 10_000,
    cancelAnswersMax: 32,
    /** A provider that can be asked is asked so long whether it has a canceled job. */
    reconciledMs: 86_400_000,
    duplicateWindowMs: 300_000,
    ticketMs: 60_000,
    /** Unredeemed stream tickets of one account. */
    ticketsMax: 100,
    /** Open event streams, and waits, of one account. */
    streamsMax: 100,
    waitsMax: 1_000,
    /** Jobs that one request cancels. */
    cancelsMax: 100,
    /** Rows of one job's history, beside what follows from the job itself. */
    eventRowsMax: 190,
    waitSecondsDefault: 60,
    waitSecondsMax: 900,
    listDefault: 20,
    listMax: 100,
    cursorMs: 86_400_000,
    /** Rows of a listing read in one go; between two goes other requests are served. */
    listStride: 1_000,
    displayNameMax: 80,
    summaryMax: 120,
    /** A body that a content filter refused is refused again for so long, without another check. */
    moderationMemoryMs: 86_400_000,
  },
  sets: {
    membersMax: 24,
    /** Members of one account that wait for a slot. */
    waitingMax: 480,
    /** Those that get a slot in one step, when a ceiling rises by many. */
    startsPerStepMax: 32,
  },
  assets: {
    listDefault: 20,
    directBytesMax: 100 * 1024 ** 2,
    uploadBytesMax: 5 * 1024 ** 3,
    /** By the first part of the media type. */
    bytesMaxByKind: {
      image: 50 * 1024 ** 2,
      audio: 500 * 1024 ** 2,
      video: 5 * 1024 ** 3,
      model: 500 * 1024 ** 2,
      font: 20 * 1024 ** 2,
      application: 20 * 1024 ** 2,
    },
    singleBytesMax: 64 * 1024 ** 2,
    partBytes: 16 * 1024 ** 2,
    partsPerRequestMax: 100,
    uploadMs: 86_400_000,
    /** A file that was not read this long after its upload could last have ended is given up. */
    processingMs: 3_600_000,
    /** How long a failed or given up upload can still be read. */
    abandonedMs: 86_400_000,
    trashMs: 30 * 86_400_000,
    /** Bytes are removed again after this unless their removal was confirmed. */
    removedAgainMs: 3_600_000,
    sniffBytes: 64 * 1024,
    /** Of the form of a direct upload. */
    formPartsMax: 16,
    formFieldBytesMax: 64 * 1024,
    /** What is parsed of it in one go. */
    formSliceBytes: 16 * 1024,
  },
  compositions: {
    listDefault: 50,
    listMax: 200,
    filesMax: 2_000,
    bytesMax: 1024 ** 3,
    mediaBytesMax: 100 * 1024 ** 2,
    /** HTML, CSS, JS and JSON. */
    textBytesMax: 5 * 1024 ** 2,
    /** All paths of a bundle together, so that one step can replace or delete it. */
    pathBytesMax: 200 * 1024,
    metaBytesMax: 16 * 1024,
    metaDepthMax: 8,
    signedUrlsMax: 500,
    /** How long files may take from their first byte until the composition has them. */
    reservedMs: 86_400_000,
    /** Files of a bundle that are stored at once. */
    copiesAtOnce: 8,
    /** Text that is read for one timeline. */
    timelineBytesMax: 32 * 1024 ** 2,
    /** Timelines kept for the next request, and what computing one may take. */
    timelinesKept: 64,
    timelineMs: 10_000,
    timelineThreads: 2,
    timelineQueueMax: 1_000,
    timelineMegabytes: 512,
    previewsKept: 16,
    previewSeconds: 3_600,
    /** Looks again when files changed while a request read them. */
    snapshotsMax: 5,
    /** Replaced files that renders may still read. */
    staleMax: 4_000,
    /** An archive's own bytes beside those of its files. */
    archiveBytesMax: 8 * 1024 ** 2,
    seriesCharsMax: 200,
    /** Of one file. */
    filePathBytesMax: 512,
  },
  figma: {
    layersMax: 40,
    /** Imports under way; their answers are in memory. */
    importsMax: 4,
    /** Of all calls of an import together. */
    importMs: 60_000,
    nodesBytesMax: 32 * 1024 ** 2,
    imageListBytesMax: 1024 ** 2,
    imagesAtOnce: 4,
    redirectsMax: 3,
    nodesMax: 100_000,
    depthMax: 512,
    textCharsMax: 10_000,
    warningsMax: 200,
    /** What reading the nodes may take. */
    readMs: 10_000,
    readMegabytes: 512,
  },
  timeline: {
    secondsMax: 3_600,
    /** Of one document. */
    stylesheetsMax: 200,
    clipsMax: 5_000,
    /** A file counts as often as it is included, variables as often as they are passed on. */
    textMax: 32 * 1024 ** 2,
    /** Compositions inside compositions. */
    depthMax: 8,
    findingsMax: 200,
    /** Of one composition. */
    variablesMax: 1_000,
  },
  generation: {
    providerOptionBytesMax: 16 * 1024,
    /** Named by one refusal. */
    faultsMax: 20,
    /** Of a restored video. */
    restoredWidthMax: 3_840,
    restoredHeightMax: 2_160,
  },
  vendoring: {
    /** Of styles that take in others. */
    depthMax: 4,
    /** For one download. */
    patienceMs: 60_000,
  },
  renders: {
    listMax: 20,
    /** Of one account. */
    queuedMax: 20,
    runningMax: 4,
    retryAfterSeconds: 10,
    wallMs: 3_600_000,
    /** How long a render may wait for a farm node. */
    waitMs: 86_400_000,
    errorMax: 2_000,
    /** Different assets that one timeline refers to. */
    assetsMax: 1_000,
    retentionMs: 400 * 86_400_000,
  },
  ledger: {
    listDefault: 20,
    listMax: 100,
    /** Rows of the ledger read for a report in one go; then other requests are served. */
    reportStride: 250,
    reportDaysMax: 400,
    /** Lines of one report; what is beyond them is summed up in one. */
    reportGroupsMax: 10_000,
  },
  admin: {
    listDefault: 20,
    listMax: 100,
    auditDays: 400,
    /** Jobs that one page of a filtered listing looks at. */
    jobsLookedAtMax: 10_000,
    /** Hours whose failures are grouped by default and at most; pages looked at for it. */
    failureHours: { byDefault: 24, max: 168, pages: 10 },
    /** Rows that an audit reads before others run. */
    auditSlice: 256,
    /** How often an audit looks at an account that changes meanwhile, and its findings of one. */
    looksMax: 3,
    findingsMax: 20,
    /** Of one grant. */
    creditsMax: 1_000_000_000_000,
  },
  agents: {
    /** Jobs of a turn that its session still names to its followers. */
    recentJobsMax: 16,
    turnsShown: 20,
    jobsShownMax: 1_000,
    ttlSecondsDefault: 3_600,
    metaBytesMax: 16 * 1024,
    sessionsCountedMax: 10_000,
  },
  pricing: {
    confirmationMs: 600_000,
    enhancePromptCredits: 1,
    /** Amounts kept in exact form. */
    amountsMax: 1_000,
  },
  ...accessLimits,
  ...exportLimits,
  ...clusterLimits,
  ...farmLimits,
  ...providerLimits,
} as const;

export const limits = {
  engine: {
    /** New work that waits for one shard; beyond it the answer is 503. */
    inboxMax: 8_192,
    /** Messages to another thread of which the first need not wait for the end of the tick. */
    messagesPerPost: 48,
    /** A batch closes at this many bytes of writes. */
    batchBytes: 64 * 1024,
    batchStepsMax: 4_096,
    /** A whole record, also one of a single step: less than a message of NATS may have. */
    recordBytesMax: 900 * 1024,
    tellsPerStepMax: 64,
    headBytesMax: 4 * 1024,
    /** Heads kept in memory per shard; a decoded head is counted as so many bytes. */
    headBytesGuess: 1_024,
    headCacheBytes: 128 * 1024 * 1024,
    /**
     * A flush into the tables begins at this many fresh rows or at this age of the oldest: the more
     * rows of a scope come together, the fewer pages a row costs.
     */
    flushRows: 200_000,
    flushIntervalMs: 5_000,
    /** The thread that decides encodes so many in one go: about a millisecond. */
    rowsPerTransaction: 250,
    recoveredRowsPerTransaction: 10_000,
    /** The longest rest between two transactions of a flush that is in no hurry. */
    flushRestMs: 20,
    /** Rows of records that were decided elsewhere: at so many they are flushed. */
    replicaRows: 50_000,
    /** Fresh rows at which a shard stops taking messages until a flush has ended. */
    freshRowsMax: 600_000,
    /** Actors whose due times are so close are woken together. */
    dueGranularityMs: 5,
    /** For so long at a time a shard's thread looks at its rows for something else than a step. */
    sliceMs: 1,
    /** How often an idle shard checks whether a flush or old actors are due. */
    tickMs: 250,
    /** Old actors swept in one go, and the rest after a round through all of them. */
    sweepRows: 256,
    sweepRestMs: 3_600_000,
    /** Broken promises after which an actor is set aside. */
    brokenStepsMax: 3,
    /** An actor that broke its promise at its due time is woken again after this. */
    brokenDueMs: 1_000,
    /** For so long shards that are to be held at one time may wait for each other. */
    holdMs: 750,
    /** How often that is tried for one backup. */
    holdAttempts: 20,
    /** Of a large store's backup. */
    backupMs: 24 * 3_600_000,
    backupMegabytes: 512,
    /** A shard thread that died is started again after this. */
    restartDelayMs: 100,
    /** The longest wait before a thread that dies again and again is started once more. */
    restartDelayMaxMs: 5_000,
    /** A shard whose stores could not be written, as on a full disk, tries to open again. */
    openAgainMs: 1_000,
    /** How long a start waits for a data directory whose last process is still being torn down. */
    lockWaitSeconds: 10,
    /** Largest step by which shard time follows the wall clock, as a share of elapsed time. */
    clockSlew: 0.01,
  },
  ...overridden(shipped),
} as const;

checkSections([...Object.keys(shipped), "plans"]);
