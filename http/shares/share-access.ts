/** What the routes of share links have besides what all routes have. */
import type { SignedUrls } from "../auth/signed-urls.ts";
import type { SharePasswords } from "./share-passwords.ts";
import type { ShareRates } from "./share-rates.ts";
import type { UnlockCookies } from "./unlock-cookies.ts";

export interface ShareAccess {
  /** What the URLs of links begin with, before the token. */
  readonly linksUrl: string;
  /** Of the media that links lead to, at the links' own origin. */
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
