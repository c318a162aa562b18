/** The bounds of the render farm; part of `limits`. */
export const farmLimits = {
  farm: {
    /** Maximum interval at which a node sends a heartbeat for each lease. */
    heartbeatMs: 1_000,
    /** Heartbeats between two thumbnails of a task, and a thumbnail's maximum length in base64. */
    thumbnailBeats: 5,
    thumbnailMax: 128 * 1024,
    /** Silence after which a lease lapses and the task is offered again. */
    leaseMs: 15_000,
    /**
     * The share of the farm's slots that one owner's work may hold at once (at least one slot); the
     * number of page timeouts, and their period, that reduce it to one; the owners remembered.
     */
    ownerShare: 0.5,
    timeoutsMax: 3,
    timeoutMemoryMs: 600_000,
    ownersRememberedMax: 10_000,
    /** Minimum interval at which progress is made durable. */
    progressIntervalMs: 2_000,
    /** Maximum attempts of one task before its job fails. */
    attemptsMax: 3,
    /** Maximum wall time of one picture, browser start included. */
    imageTaskMs: 60_000,
    /** Maximum wall time of one task of each other kind, below its model's deadline. */
    probeTaskMs: 300_000,
    fetchTaskMs: 900_000,
    audioTaskMs: 300_000,
    videoTaskMs: 1_800_000,
    reliefTaskMs: 300_000,
    renderTaskMs: 3_600_000,
    /** Time that a stopping service gives its nodes; the whole stop takes less than 5 s. */
    drainMs: 1_500,
    /** A node whose service is gone ends after this time, whatever it is still doing. */
    orphanMs: 2_000,
    /** Delay before a farm child that died is started again. */
    restartDelayMs: 500,
    /** Time that a standalone farm node gives its running tasks when it is asked to stop. */
    farewellMs: 60_000,
    /** Validity of a URL of an object. */
    urlSeconds: 900,
    /** How often a node announces itself, for services that started later or had given it up. */
    helloMs: 2_000,
    /**
     * Silence of a service, while NATS itself answers, after which its tasks are dropped: its
     * leases have lapsed by then, and other services need the slots.
     */
    brokerSilenceMs: 20_000,
    /** Maximum size of a message between service and node, and of messages waiting for NATS. */
    messageBytesMax: 8 * 1024 ** 2,
    unheardBytesMax: 64 * 1024 ** 2,
    /** Bytes of a result held in memory on its way to the store; a larger one goes by a file. */
    heldBytesMax: 4 * 1024 ** 2,
    /** Maximum nodes of one service. */
    nodesMax: 1_024,
    /** Age from which a task's folders must have been left behind by a killed node. */
    leftoverMs: 86_400_000,
    /** Canceled tasks that a queue may keep, in addition to as many as are still waiting. */
    goneMax: 64,
    speakingMs: 60_000,
  },
  /** Bounds for downloading the results of providers. */
  fetch: {
    redirectsMax: 3,
    /** Maximum attempts of one download, which resumes where it broke off. */
    attempts: 3,
    pauseMs: 500,
    /** Maximum files of one job. */
    filesMax: 16,
  },
  capture: {
    /** Maximum canvas of a film. */
    longEdgeMax: 7_680,
    shortEdgeMax: 4_320,
    /** Maximum size of a still picture. */
    stillWidthMax: 3_840,
    stillHeightMax: 2_160,
    filesMax: 2_000,
    /** Maximum size of files that are read completely to compute the timeline. */
    textBytesMax: 5 * 1024 ** 2,
    /** Maximum time until a page has loaded, and until its animation has registered. */
    pageMs: 30_000,
    timelineMs: 10_000,
    /** Maximum time for one frame. */
    frameMs: 20_000,
    warningsMax: 100,
    /** Maximum memory of one process of a page's browser. */
    processBytesMax: 3 * 1024 ** 3,
    /** Maximum disk space for the pages of one browser. */
    storageBytesMax: 256 * 1024 ** 2,
    /** Maximum size of each file that a page's browser writes, shared memory included. */
    browserFileBytesMax: 1024 ** 3,
    /** Delay after a film before browsers for the next films are started. */
    restMs: 500,
    /** How long a still's browser waits for another still of the same film. */
    keptBrowserMs: 15_000,
    /** Maximum pages that capture one film in parallel. */
    pagesMax: 2,
    /** Maximum processes of one system user, threads included. */
    processesMax: 2_048,
    browserStartMs: 60_000,
    browserCloseMs: 2_000,
    /** Idle pages that a browser keeps for the next film. */
    idlePagesMax: 4,
    picturesMax: 16,
    /** Maximum videos of one frame that are decoded in parallel. */
    videosAtOnceMax: 4,
    /** Maximum wait for a font of the bundle, which is available at once or never. */
    fontGateMs: 3_000,
    fontGatesMax: 100,
    /** Maximum size of a page's files that are kept in memory. */
    keptFileBytesMax: 4 * 1024 ** 2,
    knownMediaMax: 1_000,
    styledBytesMax: 512 * 1024,
    /** Bytes of video pictures before garbage collection; each leaves some five times its size. */
    garbageBytesMax: 8 * 1024 ** 2,
    /** Maximum script errors of a page that are kept between two reads. */
    pageFaultsMax: 20,
  },
  /** Bounds of what the farm reads and writes; larger input is refused before it is decoded. */
  media: {
    sourceBytesMax: 5 * 1024 ** 3,
    outputBytesMax: 2 * 1024 ** 3,
    /** Maximum size of sources that are read completely: 3D models, fonts, look-up tables. */
    wholeBytesMax: 256 * 1024 ** 2,
    /** Maximum size of a picture, and of a frame of a video. */
    pixelsMax: 100_000_000,
    edgeMax: 16_384,
    secondsMax: 6 * 3_600,
    /** Bounds of sources for the models that process every frame of a video. */
    editedSecondsMax: 600,
    editedPixelsMax: 3_840 * 2_160,
    /** How much of a recording is decoded to verify that it can be decoded. */
    decodedSeconds: 5,
    /** Maximum time of one call of a media tool that only reads. */
    toolMs: 60_000,
    toolOutputMax: 64 * 1024 ** 2,
    toolFaultMax: 8 * 1024,
    /** Maximum memory of a media tool; encoding the largest films takes half of it. */
    toolBytesMax: 8 * 1024 ** 3,
    /** Maximum files that one tool may have open. */
    toolFilesMax: 1_024,
    /** Maximum memory of a program that decodes still pictures, and of one that reads packets. */
    pictureProgramBytesMax: 4 * 1024 ** 3,
    packetProgramBytesMax: 512 * 1024 ** 2,
    /** Maximum data that such a program returns at once: RGBA pixels of the largest film. */
    pictureBytesMax: 256 * 1024 ** 2,
    thumbnailEdge: 512,
    /** Maximum size of a file's packet tables, and of the packets read from one key frame on. */
    packetTableBytesMax: 48 * 1024 ** 2,
    packetReadMs: 10_000,
  },
} as const;
