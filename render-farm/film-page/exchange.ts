/// <reference lib="dom" />
import type { ExchangeAnswer, ExchangeOrder, PicturePlace } from "./plan.ts";

/** The page's end of its exchange thread. */
export class Exchange {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, (answer: Reply) => void>();
  #serial = 0;

  private constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<Reply>) => {
      this.#waiting.get(data.serial)?.(data);
      this.#waiting.delete(data.serial);
    };
  }

  static async open(mark: string, width: number, height: number): Promise<Exchange> {
    const module = new URL("exchange-thread.js", import.meta.url);
    const thread = new Worker(module, { type: "module" });
    const { port1, port2 } = new MessageChannel();
    thread.postMessage(null, [port2]);
    const exchange = new Exchange(port1);
    const response = await fetch(new URL("planar.wasm", import.meta.url));
    const converter = await response.arrayBuffer();
    await exchange.#ask({ kind: "open", mark, width, height, converter });
    return exchange;
  }

  /** Hands a frame over to the farm. */
  async hand(frame: VideoFrame): Promise<void> {
    await this.#ask({ kind: "hand", frame }, [frame]);
  }

  async picture(place: PicturePlace): Promise<VideoFrame> {
    const picture = await this.#ask({ kind: "picture", place });
    if (picture instanceof VideoFrame) return picture;
    throw new Error("there is no picture");
  }

  #ask(order: ExchangeOrder, transfer: Transferable[] = []): Promise<ExchangeAnswer> {
    const serial = this.#serial++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(serial, ({ fault, result = null }) => {
        if (fault === undefined) resolve(result);
        else reject(new Error(fault));
      });
      this.#port.postMessage({ serial, order }, transfer);
    });
  }
}

interface Reply {
  readonly serial: number;
  readonly result?: ExchangeAnswer;
  readonly fault?: string;
}
