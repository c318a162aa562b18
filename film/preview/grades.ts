/// <reference lib="dom" />
import { bakedSize, type CubeTable, gradeColor, parseCube } from "../../actors/timeline/cube.ts";
import type { PreviewGrade } from "./preview-film.ts";

/**
 * The colours of graded pictures in a preview: each grade is baked into a table as for a render,
 * and a shader looks each pixel up in it.
 */
const createElement = document.createElement.bind(document);

const corners = `#version 300 es
out vec2 place;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  place = vec2(corner.x, 1.0 - corner.y);
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}`;

const colors = `#version 300 es
precision highp float;
precision highp sampler3D;
in vec2 place;
out vec4 color;
uniform sampler2D picture;
uniform sampler3D table;
void main() {
  vec4 plain = texture(picture, place);
  float steps = float(textureSize(table, 0).x);
  vec3 at = (plain.rgb * (steps - 1.0) + 0.5) / steps;
  color = vec4(texture(table, at).rgb, plain.a);
}`;

type Pen = WebGL2RenderingContext;

export class Grader {
  private readonly canvas: HTMLCanvasElement;
  private readonly pen: Pen;

  private constructor(canvas: HTMLCanvasElement, pen: Pen) {
    this.canvas = canvas;
    this.pen = pen;
  }

  /** Undefined when this browser cannot do it. Throws for a table that is not answered. */
  static async open({ grade, tableUrl }: PreviewGrade): Promise<Grader | undefined> {
    const canvas = createElement("canvas");
    const pen = canvas.getContext("webgl2", {
      ...{ premultipliedAlpha: false, preserveDrawingBuffer: true, antialias: false },
    });
    if (pen === null || !usesShaders(pen)) return undefined;
    const text = tableUrl === undefined ? undefined : await textAt(tableUrl);
    const table = text === undefined ? undefined : parseCube(text);
    offerTexture(pen, 0, pen.TEXTURE_2D);
    offerTexture(pen, 1, pen.TEXTURE_3D);
    const size = bakedSize;
    const baked = bakeColors((color) => gradeColor(color, grade, table));
    const layout = [size, size, size, 0, pen.RGBA, pen.UNSIGNED_BYTE] as const;
    pen.texImage3D(pen.TEXTURE_3D, 0, pen.RGBA8, ...layout, baked);
    pen.activeTexture(pen.TEXTURE0);
    return new Grader(canvas, pen);
  }

  /** Its canvas shows the picture until the next one. */
  draw(
    picture: HTMLVideoElement | HTMLImageElement,
    width: number,
    height: number,
  ): HTMLCanvasElement {
    const { canvas, pen } = this;
    if (canvas.width !== width || canvas.height !== height)
      Object.assign(canvas, { width, height });
    pen.viewport(0, 0, width, height);
    pen.texImage2D(pen.TEXTURE_2D, 0, pen.RGBA, pen.RGBA, pen.UNSIGNED_BYTE, picture);
    pen.drawArrays(pen.TRIANGLE_STRIP, 0, 4);
    return canvas;
  }

  /** The address of a picture in its graded colours; undefined when it cannot be drawn. */
  async image(url: string): Promise<string | undefined> {
    const image = createElement("img");
    image.crossOrigin = "anonymous";
    image.src = url;
    const isLoaded = await image.decode().then(
      () => true,
      () => false,
    );
    const { naturalWidth: width, naturalHeight: height } = image;
    if (!isLoaded || width === 0 || height === 0) return undefined;
    const canvas = this.draw(image, width, height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    return blob === null ? undefined : URL.createObjectURL(blob);
  }

  /** A browser has few such contexts. */
  close(): void {
    this.pen.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function usesShaders(pen: Pen): boolean {
  const program = pen.createProgram();
  for (const [kind, source] of [
    [pen.VERTEX_SHADER, corners],
    [pen.FRAGMENT_SHADER, colors],
  ] as const) {
    const shader = pen.createShader(kind);
    if (shader === null) return false;
    pen.shaderSource(shader, source);
    pen.compileShader(shader);
    pen.attachShader(program, shader);
  }
  pen.linkProgram(program);
  if (pen.getProgramParameter(program, pen.LINK_STATUS) !== true) return false;
  pen.useProgram(program);
  pen.uniform1i(pen.getUniformLocation(program, "picture"), 0);
  pen.uniform1i(pen.getUniformLocation(program, "table"), 1);
  return true;
}

function offerTexture(pen: Pen, unit: number, kind: number): void {
  pen.activeTexture(pen.TEXTURE0 + unit);
  pen.bindTexture(kind, pen.createTexture());
  for (const filter of [pen.TEXTURE_MIN_FILTER, pen.TEXTURE_MAG_FILTER])
    pen.texParameteri(kind, filter, pen.LINEAR);
  for (const edge of [pen.TEXTURE_WRAP_S, pen.TEXTURE_WRAP_T, pen.TEXTURE_WRAP_R])
    if (kind === pen.TEXTURE_3D || edge !== pen.TEXTURE_WRAP_R)
      pen.texParameteri(kind, edge, pen.CLAMP_TO_EDGE);
}

/** Red varies fastest, as in a .cube file. */
function bakeColors(graded: (color: CubeTable["least"]) => CubeTable["least"]): Uint8Array {
  const baked = new Uint8Array(4 * bakedSize ** 3).fill(255);
  const step = (index: number): number => (index % bakedSize) / (bakedSize - 1);
  for (let at = 0; at < bakedSize ** 3; at++) {
    const green = Math.floor(at / bakedSize);
    const color = graded([step(at), step(green), step(Math.floor(green / bakedSize))]);
    baked.set(
      color.map((part) => Math.round(part * 255)),
      4 * at,
    );
  }
  return baked;
}

const realFetch = window.fetch.bind(window);

async function textAt(url: string): Promise<string> {
  const answer = await realFetch(url);
  if (!answer.ok) throw new Error(`a table of colours was answered with ${answer.status}`);
  return answer.text();
}
