/**
 * Every bound of the service, grouped by the part that it guards. Sizes are in bytes and times in
 * milliseconds unless named otherwise. An operator may change all but the engine's
 * (`KLIEG_LIMITS`).
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
    /** Maximum body of generation and cost requests, and of other JSON requests. */
    generationBodyMax: 256 * 1024,
    jsonBodyMax: 1024 * 1024,
    jsonDepthMax: 32,
    /**
     * Maximum colons and commas of a JSON text, and its members and items at all depths, except
     * inside values that are passed on unchanged.
     */
    jsonTokensMax: 10_000,
    jsonEntriesMax: 2_000,
    /** How long a client may pause within a request body, and how often that is checked. */
    bodyIdleMs: 30_000,
    bodyIdleCheckMs: 5_000,
    /** Bytes of a refused body that are read and discarded before the connection is closed. */
    drainBytesMax: 1024 ** 3,
    signedUrlSeconds: 3_600,
    streamUnsentMax: 64 * 1024,
    streamMs: 3_600_000,
    keepAliveMs: 15_000,
    /** Minimum interval between frames that change only progress. */
    progressFrameMs: 250,
    /** Maximum principals cached by token, so that a bearer token needs no hash and no look-up. */
    principalsMax: 100_000,
    /** Maximum views of jobs cached for the next poll. */
    jobViewsMax: 50_000,
    retryAfterSeconds: 1,
    diskCheckMs: 5_000,
    farmCheckMs: 5_000,
    /** How often the service checks whether the operator asked for a new first credential. */
    tokenResetCheckMs: 1_000,
    /** Free disk space; below the larger of the two, submits are answered 503. */
    diskFreeBytesMin: 1024 ** 3,
    diskFreeShareMin: 0.05,
    /** Unread bytes of a request body above which reading from the client is paused. */
    queuedBytesMax: 1024 * 1024,
    /** How long a stopping service waits for threads that are still starting. */
    startingMs: 4_000,
  },
  log: {
    /** Log lines of requests that succeeded; each failed request is always logged. */
    requestsPerSecond: 50,
    /** Log lines per shard thread, for jobs that ended and for those that failed. */
    endsPerSecond: 50,
    failuresPerSecond: 200,
  },
  /** How long metrics wait for a busy thread. */
  metrics: { gatherMs: 1_000 },
  /** Requests per account and minute, and per address without a valid bearer token. */
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
    /** Maximum warnings of a job that succeeded. */
    warningsMax: 4,
    warningMax: 300,
    /** Time after the job's deadline at which a pending settlement is refunded. */
    settlementGraceMs: 3_600_000,
    /** Time after which ended jobs are deleted. */
    retentionMs: 400 * 86_400_000,
    /** How long a cancel waits for the provider's answer, and how many wait for the same one. */
    cancelAnswerMs: 10_000,
    cancelAnswersMax: 32,
    /** How long a provider with a look-up is asked whether it has a canceled job. */
    reconciledMs: 86_400_000,
    duplicateWindowMs: 300_000,
    ticketMs: 60_000,
    /** Maximum unredeemed stream tickets of one account. */
    ticketsMax: 100,
    /** Maximum open event streams, and open waits, of one account. */
    streamsMax: 100,
    waitsMax: 1_000,
    /** Maximum jobs that one request cancels. */
    cancelsMax: 100,
    /** Maximum rows of one job's history, beside those that follow from the job itself. */
    eventRowsMax: 190,
    waitSecondsDefault: 60,
    waitSecondsMax: 900,
    listDefault: 20,
    listMax: 100,
    cursorMs: 86_400_000,
    /** Rows of a listing that are read at a time; between two reads other requests are served. */
    listStride: 1_000,
    displayNameMax: 80,
    summaryMax: 120,
    /** How long a body that a content filter refused is refused again without another check. */
    moderationMemoryMs: 86_400_000,
  },
  sets: {
    membersMax: 24,
    /** Maximum members of one account that wait for a slot. */
    waitingMax: 480,
    /** Maximum members that get a slot in one step, when a ceiling rises by many. */
    startsPerStepMax: 32,
  },
  assets: {
    listDefault: 20,
    directBytesMax: 100 * 1024 ** 2,
    uploadBytesMax: 5 * 1024 ** 3,
    /** Maximum size of an asset, by the first part of its media type. */
    bytesMaxByKind: {
      image: 50 * 1024 ** 2,
      audio: 500 * 1024 ** 2,
      video: 5 * 1024 ** 3,
      model: 500 * 1024 ** 2,
      font: 20 * 1024 ** 2,
      application: 20 * 1024 ** 2,
    },
    /** Maximum time for which a preview waits for an asset that is being processed. */
    soonReadyMs: 10_000,
    singleBytesMax: 64 * 1024 ** 2,
    partBytes: 16 * 1024 ** 2,
    partsPerRequestMax: 100,
    uploadMs: 86_400_000,
    /** Time after an upload's expiry after which a file that was not examined is given up. */
    processingMs: 3_600_000,
    /** How long a failed or abandoned upload can still be read. */
    abandonedMs: 86_400_000,
    trashMs: 30 * 86_400_000,
    /** Interval at which bytes are removed again unless their removal was confirmed. */
    removedAgainMs: 3_600_000,
    sniffBytes: 64 * 1024,
    /** Bounds of the form of a direct upload. */
    formPartsMax: 16,
    formFieldBytesMax: 64 * 1024,
    /** Bytes of the form that are parsed at a time. */
    formSliceBytes: 16 * 1024,
  },
  compositions: {
    listDefault: 50,
    listMax: 200,
    filesMax: 2_000,
    bytesMax: 1024 ** 3,
    mediaBytesMax: 100 * 1024 ** 2,
    /** Maximum size of a text file: HTML, CSS, JS or JSON. */
    textBytesMax: 5 * 1024 ** 2,
    /** Maximum size of a bundle's paths together, so that one step can replace or delete it. */
    pathBytesMax: 200 * 1024,
    metaBytesMax: 16 * 1024,
    metaDepthMax: 8,
    signedUrlsMax: 500,
    /** Maximum time from the first byte of files until the composition has them. */
    reservedMs: 86_400_000,
    /** Maximum files of a bundle that are stored at once. */
    copiesAtOnce: 8,
    /** Maximum text that is read for one timeline. */
    timelineBytesMax: 32 * 1024 ** 2,
    /** Timelines cached for the next request, and the bounds for computing one. */
    timelinesKept: 64,
    timelineMs: 10_000,
    timelineThreads: 2,
    timelineQueueMax: 1_000,
    timelineMegabytes: 512,
    previewsKept: 16,
    previewSeconds: 3_600,
    /** Maximum tries to read a composition whose files change during the request. */
    snapshotsMax: 5,
    /** Maximum replaced files that renders may still read. */
    staleMax: 4_000,
    /** Maximum bytes of an archive in addition to those of its files. */
    archiveBytesMax: 8 * 1024 ** 2,
    seriesCharsMax: 200,
    /** Maximum length of one file's path. */
    filePathBytesMax: 512,
  },
  figma: {
    layersMax: 40,
    /** Maximum imports under way; their answers are held in memory. */
    importsMax: 4,
    /** Maximum time for all calls of an import together. */
    importMs: 60_000,
    nodesBytesMax: 32 * 1024 ** 2,
    imageListBytesMax: 1024 ** 2,
    imagesAtOnce: 4,
    redirectsMax: 3,
    nodesMax: 100_000,
    depthMax: 512,
    textCharsMax: 10_000,
    warningsMax: 200,
    /** Time and memory that reading the nodes may take. */
    readMs: 10_000,
    readMegabytes: 512,
  },
  timeline: {
    secondsMax: 3_600,
    /** Maximum style sheets of one document. */
    stylesheetsMax: 200,
    clipsMax: 5_000,
    /** Maximum text; a file counts at each inclusion, variables each time they are passed on. */
    textMax: 32 * 1024 ** 2,
    /** Maximum depth of compositions inside compositions. */
    depthMax: 8,
    findingsMax: 200,
    /** Maximum variables of one composition. */
    variablesMax: 1_000,
  },
  generation: {
    providerOptionBytesMax: 16 * 1024,
    /** Maximum faults that one refusal names. */
    faultsMax: 20,
    /** Maximum size of a restored video. */
    restoredWidthMax: 3_840,
    restoredHeightMax: 2_160,
  },
  vendoring: {
    /** Maximum depth of style sheets that import others. */
    depthMax: 4,
    /** Maximum time for one download. */
    patienceMs: 60_000,
  },
  renders: {
    listMax: 20,
    /** Maximum queued and running renders of one account. */
    queuedMax: 20,
    runningMax: 4,
    retryAfterSeconds: 10,
    wallMs: 3_600_000,
    /** Maximum time that a render waits for a farm node. */
    waitMs: 86_400_000,
    errorMax: 2_000,
    /** Maximum number of different assets that one timeline refers to. */
    assetsMax: 1_000,
    retentionMs: 400 * 86_400_000,
  },
  ledger: {
    listDefault: 20,
    listMax: 100,
    /** Ledger rows that a report reads at a time; in between, other requests are served. */
    reportStride: 250,
    reportDaysMax: 400,
    /** Maximum lines of one report; the rest is summed up in one more line. */
    reportGroupsMax: 10_000,
  },
  admin: {
    listDefault: 20,
    listMax: 100,
    auditDays: 400,
    /** Maximum jobs that are examined for one page of a filtered listing. */
    jobsLookedAtMax: 10_000,
    /** Hours of failures to group, by default and at most, and the pages read for that. */
    failureHours: { byDefault: 24, max: 168, pages: 10 },
    /** Rows that an audit reads before it lets other work run. */
    auditSlice: 256,
    /** How often an audit re-reads an account that changes meanwhile, and its maximum findings. */
    looksMax: 3,
    findingsMax: 20,
    /** Maximum credits of one grant. */
    creditsMax: 1_000_000_000_000,
  },
  agents: {
    /** Number of a turn's latest jobs that a session's state lists for its event stream. */
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
    /** Maximum amounts that are cached in exact form. */
    amountsMax: 1_000,
  },
  ...accessLimits,
  ...exportLimits,
  ...clusterLimits,
  ...farmLimits,
  ...providerLimits,
} as const;

export const limits = {
  memory: {
    /** The least that `KLIEG_MEMORY` may be, and what a service takes besides its shards' rows. */
    bytesMin: 768 * 1024 * 1024,
    serviceBytes: 640 * 1024 * 1024,
    /** A row is held twice, by its shard and by the front end, in the generation that is written to
     * and in the one that a flush stores. */
    freshCopies: 4,
    /** Of a shard's share, for heads. */
    headShare: 1 / 8,
  },
  engine: {
    /** New work that may wait for one shard; above this the answer is 503. */
    inboxMax: 8_192,
    /** Queued messages to another thread that are sent at once, not at the end of the tick. */
    messagesPerPost: 48,
    /** A batch closes at this many bytes of writes. */
    batchBytes: 64 * 1024,
    batchStepsMax: 4_096,
    /** Maximum size of a record, also of a single step's; below the maximum message of NATS. */
    recordBytesMax: 900 * 1024,
    tellsPerStepMax: 64,
    headBytesMax: 4 * 1024,
    /** Bytes that a decoded head counts as in a shard's cache of heads, and that cache's bound. */
    headBytesGuess: 1_024,
    headCacheBytes: 128 * 1024 * 1024,
    /**
     * A flush into the tables begins at this number of fresh rows or at this age of the oldest: the
     * more rows of a scope are written together, the fewer pages a row costs.
     */
    flushRows: 200_000,
    flushIntervalMs: 5_000,
    /** Rows that the deciding thread encodes at a time, in about a millisecond. */
    rowsPerTransaction: 250,
    recoveredRowsPerTransaction: 10_000,
    /** Maximum pause between two transactions of a flush that is not urgent. */
    flushRestMs: 20,
    /** Rows of records decided on another node at which they are flushed. */
    replicaRows: 50_000,
    /** Fresh rows at which a shard accepts no messages until a flush has ended. */
    freshRowsMax: 600_000,
    /** Actors whose due times are within this time of each other are woken together. */
    dueGranularityMs: 5,
    /** Time slice in which a shard's thread reads its rows for purposes other than a step. */
    sliceMs: 1,
    /** How often an idle shard checks whether a flush or old actors are due. */
    tickMs: 250,
    /** Old actors swept at a time, and the pause after a pass through all of them. */
    sweepRows: 256,
    sweepRestMs: 3_600_000,
    /** Failed steps after which an actor is set aside. */
    brokenStepsMax: 3,
    /** Delay before an actor whose step failed at its due time is woken again. */
    brokenDueMs: 1_000,
    /** How long shards that must be held at the same time may wait for each other. */
    holdMs: 750,
    /** Maximum attempts to hold the shards for one backup. */
    holdAttempts: 20,
    /** Maximum duration of a backup: enough for a large store. */
    backupMs: 24 * 3_600_000,
    backupMegabytes: 512,
    /** Delay before a shard thread that died is started again. */
    restartDelayMs: 100,
    /** Maximum delay before a thread that dies repeatedly is started again. */
    restartDelayMaxMs: 5_000,
    /** How often a shard whose stores could not be written, as on a full disk, is opened again. */
    openAgainMs: 1_000,
    /** How long a start waits for a data directory that the previous process has yet to release. */
    lockWaitSeconds: 10,
    /** Maximum rate at which shard time follows the wall clock, as a share of elapsed time. */
    clockSlew: 0.01,
  },
  ...overridden(shipped),
} as const;

checkSections([...Object.keys(shipped), "plans"]);
