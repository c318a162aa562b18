/// <reference lib="dom" />
import { bakedSize, type CubeTable, gradeColor, parseCube } from "../../timeline/cube.ts";
import type { PreviewGrade } from "./preview-film.ts";

/**
 * The colours of graded pictures in a preview. As in a render, each grade is baked into a table, in
 * which a pixel is looked up in the tetrahedron around it, and fractions of what comes of it are
 * cut off. All grades share one context of WebGL: a browser has sixteen, and takes the oldest away
 * when a page asks for more.
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
  float last = float(textureSize(table, 0).x - 1);
  vec3 at = clamp(plain.rgb, 0.0, 1.0) * last;
  vec3 low = min(floor(at), last - 1.0);
  vec3 part = at - low;
  ivec3 one, two;
  vec3 share;
  if (part.r >= part.g) {
    if (part.g >= part.b) { one = ivec3(1, 0, 0); two = ivec3(1, 1, 0); share = part.rgb; }
    else if (part.r >= part.b) { one = ivec3(1, 0, 0); two = ivec3(1, 0, 1); share = part.rbg; }
    else { one = ivec3(0, 0, 1); two = ivec3(1, 0, 1); share = part.brg; }
  } else {
    if (part.r >= part.b) { one = ivec3(0, 1, 0); two = ivec3(1, 1, 0); share = part.grb; }
    else if (part.g >= part.b) { one = ivec3(0, 1, 0); two = ivec3(0, 1, 1); share = part.gbr; }
    else { one = ivec3(0, 0, 1); two = ivec3(0, 1, 1); share = part.bgr; }
  }
  ivec3 from = ivec3(low);
  vec3 graded = (1.0 - share.x) * texelFetch(table, from, 0).rgb
    + (share.x - share.y) * texelFetch(table, from + one, 0).rgb
    + (share.y - share.z) * texelFetch(table, from + two, 0).rgb
    + share.z * texelFetch(table, from + 1, 0).rgb;
  color = vec4(floor(graded * 255.0 + 0.001) / 255.0, plain.a);
}`;

type Gl = WebGL2RenderingContext;

interface Stage {
  readonly canvas: HTMLCanvasElement;
  readonly gl: Gl;
  readonly textures: Map<string, WebGLTexture>;
}

export const notGraded = "This browser cannot show its color grade; the render does.";

export class Grader {
  /** Baked colour tables, by clip key. */
  private readonly tables = new Map<string, Float32Array>();
  private stage: Stage | undefined;

  /** Whether this browser can grade colours. */
  isAble(): boolean {
    // The browser may have dropped this context, because the page uses others of its own.
    if (this.stage === undefined || this.stage.gl.isContextLost()) this.stage = openStage();
    return this.stage !== undefined;
  }

  /** Throws when the table's URL does not answer. */
  async add({ key, grade, tableUrl }: PreviewGrade): Promise<void> {
    const text = tableUrl === undefined ? undefined : await textAt(tableUrl);
    const table = text === undefined ? undefined : parseCube(text);
    this.tables.set(
      key,
      bakeColors((color) => gradeColor(color, grade, table)),
    );
  }

  has(key: string): boolean {
    return this.tables.has(key);
  }

  /** Draws a picture in the colours of a clip's grade; returns false if it could not. */
  paint(key: string, picture: Picture, { width, height }: Size, pen: Pen): boolean {
    const table = this.tables.get(key);
    if (!this.isAble() || this.stage === undefined || table === undefined) return false;
    const { canvas, gl, textures } = this.stage;
    if (canvas.width < width) canvas.width = width;
    if (canvas.height < height) canvas.height = height;
    if (gl.drawingBufferWidth < width || gl.drawingBufferHeight < height) return false;
    const texture = textures.get(key) ?? offerTable(gl, table);
    textures.set(key, texture);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_3D, texture);
    gl.activeTexture(gl.TEXTURE0);
    gl.viewport(0, 0, width, height);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    const top = canvas.height - height;
    pen.drawImage(canvas, 0, top, width, height, 0, 0, width, height);
    return true;
  }

  /** Returns the URL of the picture in its graded colours; undefined when that fails. */
  async image(key: string, url: string): Promise<string | undefined> {
    const image = createElement("img");
    image.crossOrigin = "anonymous";
    image.src = url;
    const isLoaded = await image.decode().then(
      () => true,
      () => false,
    );
    const { naturalWidth: width, naturalHeight: height } = image;
    if (!isLoaded || width === 0 || height === 0) return undefined;
    const canvas = Object.assign(createElement("canvas"), { width, height });
    const pen = canvas.getContext("2d");
    if (pen === null || !this.paint(key, image, { width, height }, pen)) return undefined;
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    return blob === null ? undefined : URL.createObjectURL(blob);
  }
}

type Picture = HTMLVideoElement | HTMLImageElement;
type Pen = CanvasRenderingContext2D;

interface Size {
  readonly width: number;
  readonly height: number;
}

function openStage(): Stage | undefined {
  const canvas = createElement("canvas");
  const gl = canvas.getContext("webgl2", {
    premultipliedAlpha: false,
    preserveDrawingBuffer: true,
    antialias: false,
  });
  if (gl === null || !usesShaders(gl)) return undefined;
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  setNearest(gl, gl.TEXTURE_2D);
  return { canvas, gl, textures: new Map() };
}

function usesShaders(gl: Gl): boolean {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, corners],
    [gl.FRAGMENT_SHADER, colors],
  ] as const) {
    const shader = gl.createShader(kind);
    if (shader === null) return false;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true) return false;
  gl.useProgram(program);
  gl.uniform1i(gl.getUniformLocation(program, "picture"), 0);
  gl.uniform1i(gl.getUniformLocation(program, "table"), 1);
  return true;
}

function offerTable(gl: Gl, table: Float32Array): WebGLTexture {
  const texture = gl.createTexture();
  gl.activeTexture(gl.TEXTURE1);
  gl.bindTexture(gl.TEXTURE_3D, texture);
  setNearest(gl, gl.TEXTURE_3D);
  const layout = [bakedSize, bakedSize, bakedSize, 0, gl.RGB, gl.FLOAT] as const;
  gl.texImage3D(gl.TEXTURE_3D, 0, gl.RGB32F, ...layout, table);
  return texture;
}

function setNearest(gl: Gl, kind: number): void {
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(kind, filter, gl.NEAREST);
  for (const edge of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
    gl.texParameteri(kind, edge, gl.CLAMP_TO_EDGE);
}

/** Bakes the table with red varying fastest, as in a .cube file. */
function bakeColors(graded: (color: CubeTable["least"]) => CubeTable["least"]): Float32Array {
  const baked = new Float32Array(3 * bakedSize ** 3);
  const step = (index: number): number => (index % bakedSize) / (bakedSize - 1);
  for (let at = 0; at < bakedSize ** 3; at++) {
    const green = Math.floor(at / bakedSize);
    baked.set(graded([step(at), step(green), step(Math.floor(green / bakedSize))]), 3 * at);
  }
  return baked;
}

const realFetch = window.fetch.bind(window);

async function textAt(url: string): Promise<string> {
  const answer = await realFetch(url);
  if (!answer.ok)
    throw new Error(`the request for a color table was answered with ${answer.status}`);
  return answer.text();
}
