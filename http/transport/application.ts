/** The application to which a listener passes its requests. */
import type { Refusal } from "../../actors/refusal.ts";
import type { Answer, HttpRequest } from "../exchange/answer.ts";

/** Limits of a request's body, which the transport learns from the route before it reads one. */
export interface BodyBounds {
  /** Maximum number of bytes that are read of a body; 0 when the route takes none. */
  readonly bodyBytesMax: number;
  /** Maximum of a route that reads its body as a stream; undefined for other routes. */
  readonly streamBytesMax: number | undefined;
}

export interface Application {
  match(method: string, path: string): BodyBounds;
  /** `match` is the result of the method `match` for the request. */
  answer(match: BodyBounds, request: HttpRequest): Answer | Promise<Answer>;
  /** Answers a request whose framing is invalid, or whose body did not arrive. */
  refuse(refusal: Refusal, request: HttpRequest): Answer;
}
