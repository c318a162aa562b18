import { Document, type Material, WebIO } from "@gltf-transform/core";
import { invariant } from "../../engine/invariant.ts";

/** Writes glTF 2.0 files. This is the only module that imports @gltf-transform/core. */
export interface Surface {
  /** Vertex positions: three numbers per vertex, in metres. */
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  /** Texture coordinates: two numbers per vertex. */
  readonly uvs: Float32Array;
  /** Vertex indices: three per triangle, counter-clockwise as seen from outside. */
  readonly indices: Uint32Array;
}

export interface Skin {
  /** Linear red, green and blue, by which the texture is multiplied. */
  readonly color: readonly [red: number, green: number, blue: number];
  /** The texture as a JPEG. */
  readonly picture?: Uint8Array;
}

export interface Part {
  readonly surface: Surface;
  readonly skin: Skin;
}

export interface ModelFile {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly extension: string;
}

/** Writes one mesh with several parts; the file contains all of its buffers and textures. */
export async function writeModel(
  name: string,
  parts: readonly Part[],
  format: "glb" | "gltf",
): Promise<ModelFile> {
  const document = new Document();
  document.getRoot().getAsset().generator = "Klieg";
  const buffer = document.createBuffer();
  const mesh = document.createMesh(name);
  for (const { surface, skin } of parts) {
    if (surface.indices.length === 0) continue;
    const vertices = surface.positions.length / 3;
    const indices = vertices < 65_535 ? new Uint16Array(surface.indices) : surface.indices;
    const accessor = (
      type: "SCALAR" | "VEC2" | "VEC3",
      values: Float32Array | Uint16Array | Uint32Array,
    ) =>
      document
        .createAccessor()
        .setType(type)
        .setArray(values as Float32Array<ArrayBuffer>)
        .setBuffer(buffer);
    const primitive = document
      .createPrimitive()
      .setAttribute("POSITION", accessor("VEC3", surface.positions))
      .setAttribute("NORMAL", accessor("VEC3", surface.normals))
      .setIndices(accessor("SCALAR", indices))
      .setMaterial(createMaterial(document, skin));
    if (skin.picture !== undefined)
      primitive.setAttribute("TEXCOORD_0", accessor("VEC2", surface.uvs));
    mesh.addPrimitive(primitive);
  }
  const scene = document.createScene(name).addChild(document.createNode(name).setMesh(mesh));
  document.getRoot().setDefaultScene(scene);
  return format === "glb" ? asBinary(document) : asText(document);
}

function createMaterial(document: Document, { color, picture }: Skin): Material {
  const [red, green, blue] = color;
  const material = document
    .createMaterial()
    .setBaseColorFactor([red, green, blue, 1])
    .setMetallicFactor(0)
    .setRoughnessFactor(0.85);
  if (picture === undefined) return material;
  const texture = document.createTexture().setImage(picture).setMimeType("image/jpeg");
  return material.setBaseColorTexture(texture);
}

async function asBinary(document: Document): Promise<ModelFile> {
  const bytes = await new WebIO().writeBinary(document);
  return { bytes, mimeType: "model/gltf-binary", extension: "glb" };
}

/** Returns the model as JSON, with buffers and textures as data URIs. */
async function asText(document: Document): Promise<ModelFile> {
  const { json, resources } = await new WebIO().writeJSON(document);
  for (const [list, mimeType] of [
    [json.buffers ?? [], "application/octet-stream"],
    [json.images ?? [], "image/jpeg"],
  ] as const)
    for (const entry of list) {
      const bytes = resources[entry.uri ?? ""];
      invariant(bytes !== undefined, "every buffer and picture is among the resources");
      entry.uri = `data:${mimeType};base64,${Buffer.from(bytes).toString("base64")}`;
    }
  const bytes = Buffer.from(JSON.stringify(json));
  return { bytes, mimeType: "model/gltf+json", extension: "gltf" };
}
