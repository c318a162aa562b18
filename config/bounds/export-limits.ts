/** The bounds of exports for desktop editors; part of `limits`. */
export const exportLimits = {
  exports: {
    clipsMax: 500,
    textsMax: 200,
    /** All files of an archive before they are compressed. */
    documentBytesMax: 64 * 1024 ** 2,
    keyframesMax: 200_000,
    warningsMax: 500,
    /** Tables of colours that grades name, together. */
    tableBytesMax: 16 * 1024 ** 2,
    /** How long a farm node may take to lay the page out, with all that waits before it. */
    measureMs: 14_000,
    /** Of what it found, the pictures of texts included. */
    measurementBytesMax: 64 * 1024 ** 2,
    /** How long all files may take to be written. */
    writingMs: 16_000,
    threads: 2,
    queueMax: 4,
    threadMegabytes: 384,
    retryAfterSeconds: 5,
  },
} as const;
