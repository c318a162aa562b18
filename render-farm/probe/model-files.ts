import { check, type Static, Type } from "../../config/schema.ts";
import { PortError } from "../../engine/ports/port-error.ts";

/**
 * Checks the structure of uploaded glTF 2.0 models: every view lies within its buffer, every
 * accessor within its view, and nothing is fetched from elsewhere.
 */
const index = Type.Integer({ minimum: 0 });
const File = Type.Object({
  asset: Type.Object({ version: Type.String({ pattern: "^2\\." }) }),
  buffers: Type.Optional(
    Type.Array(Type.Object({ byteLength: index, uri: Type.Optional(Type.String()) })),
  ),
  bufferViews: Type.Optional(
    Type.Array(Type.Object({ buffer: index, byteLength: index, byteOffset: Type.Optional(index) })),
  ),
  accessors: Type.Optional(
    Type.Array(
      Type.Object({
        bufferView: Type.Optional(index),
        byteOffset: Type.Optional(index),
        componentType: Type.Integer(),
        count: Type.Integer({ minimum: 1 }),
        type: Type.String(),
      }),
    ),
  ),
  images: Type.Optional(Type.Array(Type.Object({ uri: Type.Optional(Type.String()) }))),
  meshes: Type.Optional(Type.Array(Type.Unknown())),
});
type File = Static<typeof File>;
const isFile = check<File>(File);

const jsonChunk = 0x4e4f534a;
const binaryChunk = 0x004e4942;
const componentBytes: Readonly<Record<number, number>> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  5126: 4,
};
const components: Readonly<Record<string, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
};

/** Checks an uploaded model. Throws `PortError` with a sentence for the client. */
export function inspectModel(bytes: Buffer, mimeType: string): void {
  if (mimeType === "model/gltf+json") checkFile(parse(bytes), undefined);
  else {
    const { json, binary } = splitChunks(bytes);
    checkFile(parse(json), binary?.length);
  }
}

function splitChunks(bytes: Buffer): { json: Buffer; binary: Buffer | undefined } {
  if (bytes.length < 20 || bytes.readUInt32LE(4) !== 2 || bytes.readUInt32LE(8) !== bytes.length)
    throw unfit("its header is wrong");
  let json: Buffer | undefined;
  let binary: Buffer | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    if (at + 8 + length > bytes.length) throw unfit("a chunk reaches beyond its end");
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (bytes.readUInt32LE(at + 4) === jsonChunk) json ??= chunk;
    if (bytes.readUInt32LE(at + 4) === binaryChunk) binary ??= chunk;
    at += 8 + length;
  }
  if (json === undefined) throw unfit("it has no description");
  return { json, binary };
}

function checkFile(file: File, binaryBytes: number | undefined): void {
  const { buffers = [], bufferViews = [], accessors = [], images = [] } = file;
  for (const [i, { uri, byteLength }] of buffers.entries())
    if (uri === undefined && (i > 0 || byteLength > (binaryBytes ?? 0)))
      throw unfit("a buffer has no bytes");
  for (const { uri } of [...buffers, ...images])
    if (uri !== undefined && !uri.startsWith("data:"))
      throw unfit("it refers to other files; everything must be inside");
  for (const { buffer, byteLength, byteOffset = 0 } of bufferViews)
    if (byteOffset + byteLength > (buffers[buffer]?.byteLength ?? -1))
      throw unfit("a view extends beyond its buffer");
  for (const { bufferView, byteOffset = 0, componentType, count, type } of accessors) {
    const size = (componentBytes[componentType] ?? 0) * (components[type] ?? 0);
    if (size === 0) throw unfit("an accessor has an unknown type");
    const view = bufferView === undefined ? undefined : bufferViews[bufferView];
    if (bufferView !== undefined && byteOffset + count * size > (view?.byteLength ?? -1))
      throw unfit("an accessor extends beyond its view");
  }
}

function parse(json: Buffer): File {
  let value: unknown;
  try {
    value = JSON.parse(json.toString("utf8"));
  } catch (failure) {
    throw new PortError(
      "The 3D model is damaged: its description is not valid JSON.",
      false,
      failure,
    );
  }
  if (!isFile(value)) {
    const [fault] = isFile.faults(value);
    throw unfit(`${fault?.pointer || "its description"} ${fault?.detail ?? "is wrong"}`);
  }
  return value;
}

function unfit(why: string): PortError {
  return new PortError(`The 3D model is damaged: ${why}.`, false);
}
