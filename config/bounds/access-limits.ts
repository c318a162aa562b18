/** The bounds of who may come in, and as how many; part of `limits`. */
export const accessLimits = {
  shares: {
    /** Active links of one render or asset. */
    activeMax: 50,
    expiresInDaysMax: 365,
    nameMax: 200,
    passwordMin: 4,
    passwordMax: 128,
    /** N of scrypt (RFC 7914): 16 MiB and some 90 ms of a core for each password. */
    passwordCost: 2 ** 14,
    /** Passwords that are hashed at once, and those that wait for it; beyond them 429. */
    passwordThreads: 2,
    passwordsWaitingMax: 32,
    passwordMs: 60_000,
    /** Resolutions in a minute, of one client address and of one token. */
    windowMs: 60_000,
    perAddress: 60,
    perToken: 600,
    /**
     * Wrong passwords that one client may give for one token, and all clients together, in a window
     * of their own.
     */
    wrongPasswords: 10,
    wrongPasswordsPerToken: 100,
    wrongPasswordsMs: 600_000,
    /** Places where addresses and tokens are counted; those that share one are counted together. */
    counters: 65_536,
    retryAfterSeconds: 60,
    /** Of links to the media, and of the cookie that remembers a password. */
    mediaUrlSeconds: 900,
    unlockedSeconds: 3_600,
    formBytesMax: 4 * 1024,
  },
  tokens: {
    /** Active personal access tokens of one account. */
    perAccountMax: 50,
    expiresInDaysDefault: 90,
    expiresInDaysMax: 365,
    /** Whether a token may be asked for that never expires. */
    neverExpires: true,
  },
  oauth: {
    accessTokenSeconds: 3_600,
    refreshTokenDays: 30,
    deviceSeconds: 900,
    devicePollSeconds: 5,
    /** Device authorizations that are open at once, of one client and in all. */
    devicesPerClientMax: 20,
    devicesMax: 10_000,
    /** Clients of one account or organization. */
    clientsMax: 50,
    formBodyMax: 16 * 1024,
  },
  organizations: {
    membersMax: 500,
    /** Organizations that one account may belong to. */
    perAccountMax: 100,
  },
} as const;
