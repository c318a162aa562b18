import { type Answer, json } from "../cli/stand-in.ts";

export const isPut = (route: string) => route.startsWith("PUT ");
const part = (number: number) => ({ part_number: number, etag: `e${number}`, size_bytes: 4 });
const upload = { id: "u1", asset_id: "a1", status: "pending", method: "multipart" };
const tell = (body: (at: (path: string) => string) => object): Answer => {
  return (response, asked) =>
    json(
      200,
      body((path) => `http://${asked.headers.host}${path}`),
    )(response, asked);
};

/** An upload in three parts of at most 4 bytes: part 1 is stored, the URL of part 2 has expired. */
export const brokenUpload = {
  "GET /v1/assets/uploads/u1": [
    tell((at) => ({
      ...upload,
      part_size: 4,
      part_count: 3,
      uploaded_parts: [part(1)],
      parts: [2, 3].map((number) => ({ part_number: number, url: at(`/parts/${number}`) })),
    })),
    tell(() => ({ ...upload, uploaded_parts: [1, 2, 3].map(part) })),
  ],
  "PUT /parts/2": [json(403, { title: "Forbidden" })],
  "POST /v1/assets/uploads/u1/parts": [
    tell((at) => ({ parts: [{ part_number: 2, url: at("/parts/2-again") }] })),
  ],
  "PUT /parts/2-again": [json(200, {})],
  "PUT /parts/3": [json(200, {})],
  "POST /v1/assets/uploads/u1/complete": [json(200, { id: "a1", status: "ready" })],
};
