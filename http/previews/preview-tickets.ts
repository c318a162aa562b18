/**
 * Tickets of previews: a link that shows one revision of one composition to one user for a limited
 * time, in a frame that has no bearer. Nothing is stored; the signature proves that the ticket was
 * issued here.
 */
import type { SigningKey } from "../../actors/directory/directory.ts";
import { limits } from "../../config/limits.ts";
import { type Id, parseId } from "../../engine/id.ts";
import { Signer } from "../auth/signer.ts";

export interface PreviewTicket {
  readonly scope: Id;
  readonly user: Id;
  readonly composition: Id;
  readonly revision: number;
  readonly expiresAtMs: number;
}

export class PreviewTickets {
  private readonly signer: Signer;

  constructor(key: () => SigningKey) {
    this.signer = new Signer(key, 32);
  }

  /** Makes a ticket from characters that need no escaping in a path. */
  mint(ticket: Omit<PreviewTicket, "expiresAtMs">, nowMs: number): [string, PreviewTicket] {
    const seconds = Math.ceil(nowMs / 1_000) + limits.compositions.previewSeconds;
    const { scope, user, composition, revision } = ticket;
    const text = [scope, user, composition, revision, seconds].join(".");
    const mac = this.signer.sign(`preview ${text}`).toString("base64url");
    return [`${text}.${mac}`, { ...ticket, expiresAtMs: seconds * 1_000 }];
  }

  /** Returns undefined for a ticket that was not issued here or has expired. */
  read(text: string, nowMs: number): PreviewTicket | undefined {
    const parts = text.split(".");
    const [mac = "", seconds = "", revision = "", ...names] = parts.toReversed();
    const [composition, user, scope] = names.map((name) => parseId(name));
    const signed = text.slice(0, text.lastIndexOf("."));
    if (!this.signer.verifies(Buffer.from(mac, "base64url"), `preview ${signed}`)) return undefined;
    const expiresAtMs = Number(seconds) * 1_000;
    if (composition === undefined || user === undefined || scope === undefined) return undefined;
    if (expiresAtMs <= nowMs) return undefined;
    return { scope, user, composition, revision: Number(revision), expiresAtMs };
  }
}

declare module "../service.ts" {
  interface Service {
    readonly previewTickets: PreviewTickets;
  }
}
