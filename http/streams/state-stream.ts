/**
 * The life of a job or a render as server-sent events: `status` at once and at every change, one
 * `complete`, then the end.
 *
 * I11 versions rise, one `complete`, then closed. Frames that change only progress are coalesced,
 * the last is always sent. A reader that leaves more than 64 KiB unread is cut off.
 */
import { limits } from "../../config/limits.ts";
import type { Key } from "../../engine/key.ts";
import type { Service } from "../service.ts";
import type { Frames } from "./sse-connection.ts";

export interface StreamedState<State> {
  readonly key: Key<State>;
  getVersion(state: State): number;
  /** How `state` differs from the state that the reader was last shown. */
  compare(state: State, shown: State): "nothing" | "progress" | "change";
  /** The view; undefined once the object is gone. Reads all its rows, so it can be repeated. */
  view(state: State): StateView | undefined;
}

export interface StateView {
  /** Id of the frame. */
  readonly place: string;
  readonly status: object;
  /** Data of the last frame, for a terminal state. */
  readonly outcome?: object | undefined;
}

/** Sends frames until the last one, or until the reader disconnects. */
export function streamStates<State>(
  { gateway, clock }: Pick<Service, "gateway" | "clock">,
  streamed: StreamedState<State>,
  frames: Frames,
): void {
  const compare = (state: State, shown: State) =>
    streamed.getVersion(state) <= streamed.getVersion(shown)
      ? "nothing"
      : streamed.compare(state, shown);
  let shown: State | undefined;
  let stopProgress: (() => void) | undefined;

  const look = (isProgressDue: boolean): void => {
    if (frames.isClosed) return;
    const state = gateway.read(streamed.key);
    const news = state === undefined || shown === undefined ? "change" : compare(state, shown);
    if (news === "nothing") return;
    if (news === "progress" && !isProgressDue) {
      lookLater();
      return;
    }
    const view = state && streamed.view(state);
    if (view === undefined) {
      frames.end();
      return;
    }
    const isFirst = shown === undefined;
    shown = state;
    if (isFirst || view.outcome === undefined) frames.say("status", view.status, view.place);
    if (view.outcome !== undefined) frames.last("complete", view.outcome, view.place);
  };
  /** Sends one frame for all progress within the interval. */
  const lookLater = (): void => {
    stopProgress ??= clock.after(limits.http.progressFrameMs, () => {
      stopProgress = undefined;
      gateway.look(() => look(true));
    });
  };

  const lookNow = () => look(false);
  frames.until(gateway.watch(streamed.key, lookNow));
  frames.until(() => stopProgress?.());
  gateway.look(lookNow);
}
