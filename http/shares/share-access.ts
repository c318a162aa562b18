/** What the routes of share links need in addition to the common service. */
import type { SignedUrls } from "../auth/signed-urls.ts";
import type { SharePasswords } from "./share-passwords.ts";
import type { ShareRates } from "./share-rates.ts";
import type { UnlockCookies } from "./unlock-cookies.ts";

export interface ShareAccess {
  /** Prefix of the links' URLs, before the token. */
  readonly linksUrl: string;
  /** Signs URLs of the media that links lead to, at the links' own origin. */
  readonly mediaUrls: SignedUrls;
  readonly rates: ShareRates;
  readonly passwords: SharePasswords;
  readonly cookies: UnlockCookies;
}

declare module "../service.ts" {
  interface Service {
    readonly shares: ShareAccess;
  }
}
