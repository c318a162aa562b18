/// <reference lib="dom" />

/** `planar.wasm`, which converts pixels to planes within its own memory. */
export interface Planar {
  /** BGRX pixels; the sizes are even, and the width is at least eight pixels. */
  readonly pixels: Uint8Array;
  /** I420 planes (BT.709, limited range) that `convert` has written. */
  readonly planes: Uint8Array;
  convert(): void;
}

/** Throws when `module` is not `planar.wasm`. */
export async function loadPlanar(
  module: BufferSource,
  width: number,
  height: number,
): Promise<Planar> {
  const { instance } = await WebAssembly.instantiate(module);
  const { memory, convert } = instance.exports;
  if (!(memory instanceof WebAssembly.Memory) || typeof convert !== "function")
    throw new Error("this is no converter");
  const [pixelBytes, planeBytes] = [width * height * 4, (width * height * 3) / 2];
  const missing = pixelBytes + planeBytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
  return {
    pixels: new Uint8Array(memory.buffer, 0, pixelBytes),
    planes: new Uint8Array(memory.buffer, pixelBytes, planeBytes),
    convert: () => void convert(0, pixelBytes, width, height),
  };
}
