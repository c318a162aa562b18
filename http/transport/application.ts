/** What a listener hands its requests to. */
import type { Refusal } from "../../actors/refusal.ts";
import type { Answer, HttpRequest } from "../exchange/answer.ts";

/** What the transport learns of a request's route before it reads a body. */
export interface BodyBounds {
  /** Most bytes of a body that are worth reading; 0 when the route takes none. */
  readonly bodyBytesMax: number;
  /** Set when the route reads its body as it comes. */
  readonly streamBytesMax: number | undefined;
}

export interface Application {
  match(method: string, path: string): BodyBounds;
  /** `match` is what the method of that name returned for the request. */
  answer(match: BodyBounds, request: HttpRequest): Answer | Promise<Answer>;
  /** Answers a request whose framing is at fault, or whose body did not come. */
  refuse(refusal: Refusal, request: HttpRequest): Answer;
}
