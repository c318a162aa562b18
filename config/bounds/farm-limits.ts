/** The bounds of the farm; part of `limits`. */
export const farmLimits = {
  farm: {
    /** A node sends a heartbeat for each lease at least this often. */
    heartbeatMs: 1_000,
    /** Heartbeats from one thumbnail of a task to the next, and its length in base64. */
    thumbnailBeats: 5,
    thumbnailMax: 128 * 1024,
    /** Silence after which a lease lapses and the task is offered again. */
    leaseMs: 15_000,
    /**
     * The part of the farm's slots that one owner's work may hold at once, at least one; and how
     * many timeouts of its pages within how long leave it one, with how many owners remembered.
     */
    ownerShare: 0.5,
    timeoutsMax: 3,
    timeoutMemoryMs: 600_000,
    ownersRememberedMax: 10_000,
    /** Progress becomes durable at most this often. */
    progressIntervalMs: 2_000,
    /** Attempts of one task before its job fails. */
    attemptsMax: 3,
    /** Wall time of one picture, browser start included. */
    imageTaskMs: 60_000,
    /** Wall time of one task of the other kinds; each below its model's deadline. */
    probeTaskMs: 300_000,
    fetchTaskMs: 900_000,
    audioTaskMs: 300_000,
    videoTaskMs: 1_800_000,
    reliefTaskMs: 300_000,
    renderTaskMs: 3_600_000,
    /** Time that a stopping service gives its nodes; the whole stop stays under 5 s. */
    drainMs: 1_500,
    /** A node whose service is gone ends after this, whatever it still does. */
    orphanMs: 2_000,
    /** A farm child that dies is started again after this. */
    restartDelayMs: 500,
    /** Time that a farm node of its own gives its tasks when it is told to end. */
    farewellMs: 60_000,
    /** How long a URL of an object is good. */
    urlSeconds: 900,
    /** A node is announced to services that came later, or that gave it up. */
    helloMs: 2_000,
    /**
     * Silence of a service while NATS itself answers, after which its tasks are dropped: its leases
     * have lapsed by then, and other services need their places.
     */
    brokerSilenceMs: 20_000,
    /** One message between service and node, and what waits for NATS of those. */
    messageBytesMax: 8 * 1024 ** 2,
    unheardBytesMax: 64 * 1024 ** 2,
    /** So much of a result is held in memory on its way to the store; more goes by a file. */
    heldBytesMax: 4 * 1024 ** 2,
    /** Nodes that one service has. */
    nodesMax: 1_024,
    /** Age of a task's folders that a killed node must have left. */
    leftoverMs: 86_400_000,
    /** Canceled tasks that a line may keep beside as many as still wait. */
    goneMax: 64,
    speakingMs: 60_000,
  },
  /** Results of providers. */
  fetch: {
    redirectsMax: 3,
    /** Of one download; it goes on where it broke off. */
    attempts: 3,
    pauseMs: 500,
    /** Files of one job. */
    filesMax: 16,
  },
  capture: {
    /** Canvas of a film. */
    longEdgeMax: 7_680,
    shortEdgeMax: 4_320,
    /** Box of a still. */
    stillWidthMax: 3_840,
    stillHeightMax: 2_160,
    filesMax: 2_000,
    /** Files that are read whole for the timeline. */
    textBytesMax: 5 * 1024 ** 2,
    /** Until a page has loaded, and until its animation has registered. */
    pageMs: 30_000,
    timelineMs: 10_000,
    /** One frame. */
    frameMs: 20_000,
    warningsMax: 100,
    /** Memory of one process of a page's browser. */
    processBytesMax: 3 * 1024 ** 3,
    /** What the pages of one browser may keep on disk. */
    storageBytesMax: 256 * 1024 ** 2,
    /** Each file that a page's browser writes, shared memory included. */
    browserFileBytesMax: 1024 ** 3,
    /** After a film, until browsers for the next ones are started. */
    restMs: 500,
    /** How long a still's browser waits for another still of the same film. */
    keptBrowserMs: 15_000,
    /** Pages that paint one film side by side. */
    pagesMax: 2,
    /** Of one user, threads included. */
    processesMax: 2_048,
    browserStartMs: 60_000,
    browserCloseMs: 2_000,
    /** Pages that a browser keeps for the next film. */
    idlePagesMax: 4,
    picturesMax: 16,
    /** Videos of one frame that are decoded side by side. */
    videosAtOnceMax: 4,
    /** A font of the bundle is there at once or never. */
    fontGateMs: 3_000,
    fontGatesMax: 100,
    /** Files of a page that stay in memory are no larger. */
    keptFileBytesMax: 4 * 1024 ** 2,
    knownMediaMax: 1_000,
    styledBytesMax: 512 * 1024,
    /** Of pictures of videos; each leaves some five times its size in the page. */
    garbageBytesMax: 8 * 1024 ** 2,
    /** Kept of those that scripts throw between two looks. */
    pageFaultsMax: 20,
  },
  /** What the farm reads and writes; whatever exceeds it is refused before it is decoded. */
  media: {
    sourceBytesMax: 5 * 1024 ** 3,
    outputBytesMax: 2 * 1024 ** 3,
    /** Sources that are read whole: 3D models, fonts, look-up tables. */
    wholeBytesMax: 256 * 1024 ** 2,
    /** Of a picture, and of a frame of a video. */
    pixelsMax: 100_000_000,
    edgeMax: 16_384,
    secondsMax: 6 * 3_600,
    /** Sources of the models that work on every frame of a video. */
    editedSecondsMax: 600,
    editedPixelsMax: 3_840 * 2_160,
    /** How much of a recording is decoded to be sure that it can be. */
    decodedSeconds: 5,
    /** One call of a media tool that reads, not renders. */
    toolMs: 60_000,
    toolOutputMax: 64 * 1024 ** 2,
    toolFaultMax: 8 * 1024,
    /** Memory of a media tool; one that encodes the largest films needs half of it. */
    toolBytesMax: 8 * 1024 ** 3,
    /** Files that one tool has open. */
    toolFilesMax: 1_024,
    /** Memory of a program that decodes still pictures, and one that reads packets. */
    pictureProgramBytesMax: 4 * 1024 ** 3,
    packetProgramBytesMax: 512 * 1024 ** 2,
    /** What such a program hands over at once: RGBA pixels of the largest film. */
    pictureBytesMax: 256 * 1024 ** 2,
    thumbnailEdge: 512,
    /** Of a file: its tables, and the packets from a key frame on. */
    packetTableBytesMax: 48 * 1024 ** 2,
    packetReadMs: 10_000,
  },
} as const;
