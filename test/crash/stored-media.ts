/** Media of a service whose objects are in a bucket: uploads, generated pictures, their links. */
import type { ObjectStore } from "../../config/settings.ts";
import type { Asset } from "../../contract/asset.ts";
import type { Job } from "../../contract/job.ts";
import { ask } from "./accounts.ts";
import { firstToken } from "./klieg-process.ts";

/** Settings of a service that keeps its objects in the store. */
export function readSettings(store: ObjectStore): Record<string, string> {
  return {
    KLIEG_S3_ENDPOINT: store.endpoint,
    KLIEG_S3_BUCKET: store.bucket,
    KLIEG_S3_ACCESS_KEY: store.accessKey,
    KLIEG_S3_SECRET_KEY: store.secretKey,
  };
}

/** Builds a WAV file with these samples. */
export function wav(samples: Buffer): Buffer {
  const header = Buffer.from("RIFF....WAVEfmt ....................data....", "latin1");
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(16, 16);
  // PCM with one channel, 48,000 samples per second, one byte per sample.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(48_000, 24);
  header.writeUInt32LE(48_000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Uploads a sound as the first user. */
export async function upload(port: number, bytes: Buffer): Promise<Asset> {
  return (await (await post(port, bytes)).json()) as Asset;
}

/** Posts a sound to the assets of the first user. */
export function post(port: number, bytes: Buffer): Promise<Response> {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(bytes)], "noise.wav", { type: "audio/wav" }));
  const headers = { authorization: `Bearer ${firstToken}` };
  const url = `http://127.0.0.1:${port}/v1/assets`;
  return fetch(url, { method: "POST", headers, body: form });
}

/** Generates a picture; returns its asset's id and a function that reads it through its link. */
export async function draw(port: number) {
  const image = { model: "sim-instant", prompt: "a kite" };
  const { json: job } = await ask<Job>(port, firstToken, "/generate/image", image);
  const wait = `/jobs/${job.id}/wait?timeout_seconds=60`;
  const id = (await ask<Job>(port, firstToken, wait)).json.asset?.id ?? "";
  return { id, read: await createLink(port, id) };
}

/** Returns a function that reads an asset, or a range of it, through its signed link. */
export async function createLink(port: number, id: string) {
  const { json } = await ask<Asset>(port, firstToken, `/assets/${id}`);
  return async (range?: string): Promise<Buffer> => {
    const url = json.signed_url.replace("127.0.0.1:8080", `127.0.0.1:${port}`);
    const reply = await fetch(url, range === undefined ? {} : { headers: { range } });
    if (reply.status !== (range === undefined ? 200 : 206)) throw new Error(`${reply.status}`);
    return Buffer.from(await reply.arrayBuffer());
  };
}
