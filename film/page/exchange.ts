/// <reference lib="dom" />
import type { ExchangeAnswer, ExchangeCode, ExchangeOrder, PicturePlace } from "./plan.ts";

declare const __kliegExchange: ExchangeCode;

/** Page side of the connection to its exchange thread. */
export class Exchange {
  private readonly port: MessagePort;
  private readonly waiting = new Map<number, (answer: Reply) => void>();
  private handing: Promise<unknown> = Promise.resolve();
  private serial = 0;

  private constructor(port: MessagePort) {
    this.port = port;
    port.onmessage = ({ data }: MessageEvent<Reply>) => {
      this.waiting.get(data.serial)?.(data);
      this.waiting.delete(data.serial);
    };
  }

  static async open(mark: string, width: number, height: number): Promise<Exchange> {
    const script = new Blob([__kliegExchange.thread], { type: "text/javascript" });
    const thread = new Worker(URL.createObjectURL(script));
    const { port1, port2 } = new MessageChannel();
    thread.postMessage(null, [port2]);
    const exchange = new Exchange(port1);
    const coded = atob(__kliegExchange.converter);
    const converter = Uint8Array.from(coded, (letter) => letter.charCodeAt(0));
    await exchange.ask({ kind: "open", mark, width, height, converter });
    return exchange;
  }

  /** Begins to hand a frame over to the farm, after the previous one is handed over. */
  async hand(frame: VideoFrame): Promise<void> {
    await this.handing;
    this.handing = this.ask({ kind: "hand", frame }, [frame]);
    // The error is thrown by the next call, which awaits the promise.
    this.handing.catch(() => undefined);
  }

  /** Resolves when the last frame is handed over. */
  async handOver(): Promise<void> {
    await this.handing;
  }

  /** Reads a picture; `room` is a buffer to transfer and reuse for its pixels. */
  async picture(place: PicturePlace, room: ArrayBuffer | undefined): Promise<ImageData> {
    const order = { kind: "picture", place, room } as const;
    const pixels = await this.ask(order, room === undefined ? [] : [room]);
    if (pixels === null) throw new Error("there is no picture");
    return new ImageData(new Uint8ClampedArray(pixels), place.width, place.height);
  }

  private ask(order: ExchangeOrder, transfer: Transferable[] = []): Promise<ExchangeAnswer> {
    const serial = this.serial++;
    return new Promise((resolve, reject) => {
      this.waiting.set(serial, ({ fault, result = null }) => {
        if (fault === undefined) resolve(result);
        else reject(new Error(fault));
      });
      this.port.postMessage({ serial, order }, transfer);
    });
  }
}

interface Reply {
  readonly serial: number;
  readonly result?: ExchangeAnswer;
  readonly fault?: string;
}
