/**
 * Cookies that record that a browser has given a link's password: an expiring MAC over the link and
 * its password's hash, so that no cookie outlives its password or opens another link.
 */
import type { SigningKey } from "../../actors/directory/directory.ts";
import type { ShareLink } from "../../actors/protocol/share.ts";
import { limits } from "../../config/limits.ts";
import { Signer } from "../auth/signer.ts";
import type { Header } from "../exchange/answer.ts";

const name = "klieg-share";
const pattern = /^(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

export class UnlockCookies {
  private readonly signer: Signer;
  /** Whether browsers send the cookie over TLS only. */
  private readonly isSecure: boolean;

  constructor(key: () => SigningKey, isSecure: boolean) {
    this.signer = new Signer(key, 32);
    this.isSecure = isSecure;
  }

  /** `path` is the path of the link. */
  make(link: ShareLink, path: string, nowMs: number): Header {
    const { unlockedSeconds } = limits.shares;
    const expires = Math.ceil(nowMs / 1000) + unlockedSeconds;
    const mac = this.signer.sign(encodePayload(link, expires)).toString("base64url");
    const rules = `Path=${path}; Max-Age=${unlockedSeconds}; HttpOnly; SameSite=Lax`;
    const secure = this.isSecure ? "; Secure" : "";
    return ["Set-Cookie", `${name}=${expires}.${mac}; ${rules}${secure}`];
  }

  /** `cookies` is the request's `Cookie` header. */
  unlocks(link: ShareLink, cookies: string | undefined, nowMs: number): boolean {
    for (const pair of (cookies ?? "").split(";")) {
      const [key = "", value = ""] = pair.trim().split("=", 2);
      const [, expires, mac = ""] = (key === name && pattern.exec(value)) || [];
      if (expires === undefined || Number(expires) * 1000 <= nowMs) continue;
      const given = Buffer.from(mac, "base64url");
      if (this.signer.verifies(given, encodePayload(link, Number(expires)))) return true;
    }
    return false;
  }
}

/** The text differs from any payload of a signed URL, which the same key signs. */
function encodePayload({ id, password }: ShareLink, expires: number): string {
  return `unlocked ${id} ${password?.salt} ${password?.hash} ${expires}`;
}
