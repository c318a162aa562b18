/** Bounds for shares, sign-in, tokens and organizations; part of `limits`. */
export const accessLimits = {
  shares: {
    /** Maximum active links of one render or asset. */
    activeMax: 50,
    expiresInDaysMax: 365,
    nameMax: 200,
    passwordMin: 4,
    passwordMax: 128,
    /** scrypt's cost N (RFC 7914): 16 MiB and some 90 ms of a core for each password. */
    passwordCost: 2 ** 14,
    /** Passwords that are hashed at once, and those that may wait for it; more are answered 429. */
    passwordThreads: 2,
    passwordsWaitingMax: 32,
    passwordMs: 60_000,
    /** Resolutions per minute, for one client address and for one token. */
    windowMs: 60_000,
    perAddress: 60,
    perToken: 600,
    /**
     * Wrong passwords that one client may give for one token, and all clients together, within a
     * separate window.
     */
    wrongPasswords: 10,
    wrongPasswordsPerToken: 100,
    wrongPasswordsMs: 600_000,
    /** Counters for addresses and tokens; those that fall on the same counter share its count. */
    counters: 65_536,
    retryAfterSeconds: 60,
    /** Lifetimes of media links, and of the cookie that remembers a correct password. */
    mediaUrlSeconds: 900,
    unlockedSeconds: 3_600,
    formBytesMax: 4 * 1024,
  },
  tokens: {
    /** Maximum active personal access tokens of one account. */
    perAccountMax: 50,
    expiresInDaysDefault: 90,
    expiresInDaysMax: 365,
    /** Whether a token that never expires may be requested. */
    neverExpires: true,
  },
  oauth: {
    accessTokenSeconds: 3_600,
    refreshTokenDays: 30,
    deviceSeconds: 900,
    devicePollSeconds: 5,
    /** How long the sign-in link that a start prints can be used. */
    signInLinkSeconds: 900,
    /** Maximum device authorizations that are open at once, for one client and in total. */
    devicesPerClientMax: 20,
    devicesMax: 10_000,
    /** Maximum clients of one account or organization. */
    clientsMax: 50,
    formBodyMax: 16 * 1024,
  },
  organizations: {
    membersMax: 500,
    /** Maximum organizations that one account may belong to. */
    perAccountMax: 100,
  },
} as const;
