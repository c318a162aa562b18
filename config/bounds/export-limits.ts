/** The bounds of exports for desktop editors; part of `limits`. */
export const exportLimits = {
  exports: {
    clipsMax: 500,
    textsMax: 200,
    /** Maximum size of all files of an archive together, before compression. */
    documentBytesMax: 64 * 1024 ** 2,
    keyframesMax: 200_000,
    warningsMax: 500,
    /** Maximum size of all colour look-up tables that grades name, together. */
    tableBytesMax: 16 * 1024 ** 2,
    /** How long a farm node may take to lay out the page, including the time in the queue. */
    measureMs: 14_000,
    /** Maximum size of the measurements, including the pictures of texts. */
    measurementBytesMax: 64 * 1024 ** 2,
    /** Maximum time for writing all files. */
    writingMs: 16_000,
    threads: 2,
    queueMax: 4,
    threadMegabytes: 384,
    retryAfterSeconds: 5,
  },
} as const;
