/** A request that another node forwards, as routes see it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { PortError } from "../../engine/ports/port-error.ts";
import type { HttpRequest } from "../exchange/answer.ts";
import { Departure } from "../transport/departure.ts";
import { bodySignatureTrailer, type Hop } from "./hop-head.ts";
import { bodyDigest, type HopSigner, isSameSignature } from "./hop-signature.ts";

export class HopRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: HttpRequest["headers"];
  readonly address: string;
  readonly isForwarded = true;
  body: Uint8Array | "too_large" = new Uint8Array(0);
  incoming: AsyncIterable<Uint8Array> | undefined;
  private readonly message: IncomingMessage;
  private readonly hop: Hop;
  private readonly signer: HopSigner;
  private readonly departure = new Departure();

  constructor(message: IncomingMessage, response: ServerResponse, hop: Hop, signer: HopSigner) {
    const { method = "GET", url = "/" } = message;
    const mark = url.indexOf("?");
    this.method = method;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? "" : url.slice(mark + 1);
    this.headers = hop.headers;
    this.address = hop.address;
    this.message = message;
    this.hop = hop;
    this.signer = signer;
    response.on("close", () => {
      if (!response.writableFinished) this.departure.happen();
    });
  }

  keepBody(): void {
    // It is ours.
  }

  isGone(): boolean {
    return this.departure.isGone();
  }

  onGone(listener: () => void): () => void {
    return this.departure.onGone(listener);
  }

  /**
   * Receives the whole body, unless the route reads it as a stream. Resolves to false when it
   * breaks off or does not match the other node's signature.
   */
  async receive(bytesMax: number, streamBytesMax: number | undefined): Promise<boolean> {
    if (!this.hop.hasBody) {
      this.message.resume();
      return true;
    }
    if (streamBytesMax !== undefined) {
      this.incoming = this.signBytes();
      return true;
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of this.signBytes()) {
        bytes += chunk.length;
        if (bytes <= bytesMax) chunks.push(chunk);
      }
    } catch {
      return false;
    }
    this.body = bytes > bytesMax ? "too_large" : Buffer.concat(chunks);
    return true;
  }

  /** Throws `PortError` at the end of a body that does not match its signature. */
  private async *signBytes(): AsyncGenerator<Uint8Array> {
    const { message, hop, signer } = this;
    const digest = bodyDigest();
    try {
      for await (const chunk of message) {
        digest.update(chunk);
        yield chunk;
      }
    } catch (error) {
      throw new PortError("the other node went away", true, error);
    }
    const given = message.trailers[bodySignatureTrailer] ?? "";
    if (!isSameSignature(signer.signBody(hop.nonce, digest), given))
      throw new PortError("the body differs from what the other node signed", true);
  }
}
