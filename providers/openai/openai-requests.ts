/** Builds requests to OpenAI's API and compatible servers from a submission. */
import type { OpenaiDialect } from "../../config/providers/provider-config.ts";
import { formBody } from "../form-body.ts";
import type { Submission } from "../provider.ts";
import type { ProviderCall } from "../provider-http.ts";

export interface OpenaiRequest {
  /** Kind of answer: named pictures or films, sound, or a video that is generated later. */
  readonly answer: "files" | "sound" | "video";
  readonly path: string;
  readonly call: ProviderCall;
}

type Input = Submission["input"];

/** The request, or undefined for a kind of media that the API does not generate. */
export async function openaiRequest(
  { modality, model, input: given }: Pick<Submission, "modality" | "model" | "input">,
  dialect: OpenaiDialect,
): Promise<OpenaiRequest | undefined> {
  const input = model === "" ? given : { model, ...given };
  switch (modality) {
    case "image":
      return isEdit(input)
        ? { answer: "files", path: "/v1/images/edits", call: await asForm(input, editNames) }
        : { answer: "files", path: "/v1/images/generations", call: asJson(input) };
    case "audio":
      return { answer: "sound", path: "/v1/audio/speech", call: asJson(input) };
    case "video":
      if (dialect === "localai") return { answer: "files", path: "/video", call: asJson(input) };
      return { answer: "video", path: "/v1/videos", call: await videoCall(input, dialect) };
    case "three_d":
      return undefined;
  }
}

/** A server of SGLang takes JSON too, as long as there is no file. */
async function videoCall(input: Input, dialect: OpenaiDialect): Promise<ProviderCall> {
  const hasFile = Object.values(input).some((value) => dataFile(value) !== undefined);
  return dialect === "sglang" && !hasFile ? asJson(input) : asForm(input, {});
}

function isEdit({ image, mask }: Input): boolean {
  return [image, mask].flat().some((value) => dataFile(value) !== undefined);
}

const editNames = { image: "image[]" };

function asJson(json: Input): ProviderCall {
  return { method: "POST", json };
}

async function asForm(
  input: Input,
  names: Readonly<Record<string, string>>,
): Promise<ProviderCall> {
  const form = new FormData();
  for (const [name, value] of Object.entries(input))
    for (const item of Array.isArray(value) ? value : [value])
      append(form, names[name] ?? name, item);
  return { method: "POST", body: await formBody(form) };
}

function append(form: FormData, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  const file = dataFile(value);
  if (file !== undefined) form.append(name, file, fileName(file.type));
  else form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** Names the file by its type, since servers go by the file extension. */
function fileName(type: string): string {
  const [, ending = "bin"] = /^[a-z]+\/([a-z0-9]+)/.exec(type) ?? [];
  return `asset.${ending === "jpeg" ? "jpg" : ending}`;
}

/** Decodes a data URL (RFC 2397) in base64; undefined for any other value. */
function dataFile(value: unknown): Blob | undefined {
  if (typeof value !== "string" || !value.startsWith("data:")) return undefined;
  const comma = value.indexOf(",");
  const [, type] = /^data:([a-z]+\/[a-z0-9.+-]+);base64$/.exec(value.slice(0, comma)) ?? [];
  if (type === undefined) return undefined;
  return new Blob([Buffer.from(value.slice(comma + 1), "base64")], { type });
}
