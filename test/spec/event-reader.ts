import { omitUndefined } from "../../config/defined.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Stream } from "../../http/exchange/answer.ts";
import { MemorySink } from "./memory-sink.ts";
import { frameBreach } from "./published-contract.ts";

export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The client's end of an open event stream. */
export class EventReader {
  readonly sink = new MemorySink();
  /** Makes the client go away. */
  readonly leave: () => void;

  constructor(stream: Stream) {
    this.leave = stream.start(this.sink);
  }

  get text(): string {
    return this.sink.text;
  }

  get state(): MemorySink["state"] {
    return this.sink.state;
  }

  /** Frames of the stream, without comments and the retry line. */
  get frames(): readonly Frame[] {
    return this.text.split("\n\n").flatMap((block) => {
      const line = (name: string) =>
        block.split("\n").flatMap((text) => {
          return text.startsWith(`${name}: `) ? [text.slice(name.length + 2)] : [];
        })[0];
      const event = line("event");
      const data = JSON.parse(line("data") ?? "{}");
      if (event === undefined) return [];
      const id = line("id");
      const wrong = frameBreach({ event, ...omitUndefined({ id }), data });
      invariant(wrong === undefined, `the frame keeps the published contract: ${wrong}`);
      return [{ event, id, data }];
    });
  }
}
