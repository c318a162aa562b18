/** One ComfyUI server: its calls, and the progress of the prompts sent to it. */
import { limits } from "../../config/limits.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { check, type Static, Type } from "../../config/schema.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { AdapterPorts } from "../adapter.ts";
import { readMembers } from "../advice.ts";
import { formBody } from "../form-body.ts";
import type { Health, OpenStream, UploadFile } from "../provider.ts";
import { checkAvailable, healthBy, ProviderHttp, understand } from "../provider-http.ts";
import { fileBytes, type Reply, unavailable } from "../replies.ts";
import {
  type EndedPrompt,
  findEndedPrompt,
  parseQueuedPrompts,
  type QueuedPrompt,
} from "./comfy-replies.ts";
import { ProgressFeed } from "./progress-feed.ts";

const Uploaded = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 256 }),
  subfolder: Type.Optional(Type.String({ maxLength: 256 })),
});
const isUploaded = check<Static<typeof Uploaded>>(Uploaded);

const anyType = { accept: "*/*" };

export class ComfyServer {
  readonly url: string;
  readonly progress: ProgressFeed;
  /** Number of graphs that were sent and not answered yet. */
  sending = 0;
  private readonly http: ProviderHttp;
  private readonly clientId: string;

  constructor(url: string, config: ProviderConfig, ports: AdapterPorts, clientId: string) {
    const { key, headers } = config;
    const authorization = key === undefined ? undefined : `Bearer ${key}`;
    this.url = url;
    this.clientId = clientId;
    this.http = new ProviderHttp({ ...config, urls: [url] }, ports, authorization);
    this.progress = new ProgressFeed({
      url: `${url.replace(/^http/, "ws")}/ws?clientId=${clientId}`,
      headers: authorization === undefined ? headers : { ...headers, authorization },
      clock: ports.clock,
    });
  }

  submit(id: string, graph: object, extra: object): Promise<Reply> {
    const json = { prompt: graph, client_id: this.clientId, prompt_id: id, extra_data: extra };
    return this.http.ask("/prompt", { method: "POST", json });
  }

  async queue(): Promise<readonly QueuedPrompt[]> {
    const bytesMax = limits.providers.queueBytesMax;
    const reply = await this.http.ask("/queue", { bytesMax });
    checkAvailable(reply);
    return parseQueuedPrompts(reply);
  }

  /** The prompt, or undefined when it has not ended or is unknown. */
  async history(id: string): Promise<EndedPrompt | undefined> {
    const reply = await this.http.ask(`/history/${id}`);
    checkAvailable(reply);
    return findEndedPrompt(reply, id);
  }

  /** Resolves to whether the server supports this call. */
  async unqueue(id: string): Promise<boolean> {
    return this.tell("/queue", { delete: [id] });
  }

  async interrupt(id: string): Promise<boolean> {
    return this.tell("/interrupt", { prompt_id: id });
  }

  private async tell(path: string, json: object): Promise<boolean> {
    const reply = await this.http.ask(path, { method: "POST", json });
    if (reply.status === 404 || reply.status === 405) return false;
    if (reply.status >= 300) throw unavailable(reply);
    return true;
  }

  /** Resolves to the name by which graphs refer to the file. */
  async upload({ name, mimeType, bytes }: UploadFile): Promise<string> {
    const form = new FormData();
    form.append("image", new Blob([new Uint8Array(bytes)], { type: mimeType }), name);
    form.append("type", "input");
    form.append("subfolder", "");
    form.append("overwrite", "true");
    const body = await formBody(form);
    const reply = await this.http.ask("/upload/image", { method: "POST", body });
    checkAvailable(reply);
    if (reply.status !== 200) throw new PortError("The provider rejected this file.", false);
    const { name: given, subfolder = "" } = understand(isUploaded, reply);
    return subfolder === "" ? given : `${subfolder}/${given}`;
  }

  openFile(place: string): OpenStream {
    return async (signal) => fileBytes(await this.http.open(place, signal, { headers: anyType }));
  }

  health(): Promise<Health> {
    return healthBy(this.http.ask("/system_stats"), ({ json }) =>
      Object.hasOwn(readMembers(json), "system") ? "up" : "degraded",
    );
  }
}
