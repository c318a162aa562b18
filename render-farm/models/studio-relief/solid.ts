import type { Surface } from "../../media/meshes.ts";
import type { Heights } from "./heights.ts";

/**
 * A closed solid from heights: the relief in front, a plain or second relief behind, walls between.
 * The longer edge is one metre; y is up, z towards the viewer. Rows of samples are vertices; a cell
 * of four is part of the solid when the subject covers most of it.
 */
export interface Solid {
  readonly front: Surface;
  /** The walls, and the back too unless it has a picture of its own. */
  readonly shell: Surface;
  readonly back: Surface | undefined;
}

class Builder {
  readonly positions: number[] = [];
  readonly normals: number[] = [];
  readonly uvs: number[] = [];
  readonly indices: number[] = [];

  vertex(position: readonly number[], normal: readonly number[], u: number, v: number): number {
    this.positions.push(...position);
    this.normals.push(...normal);
    this.uvs.push(u, v);
    return this.positions.length / 3 - 1;
  }

  /** Adds a quad; corners are counter-clockwise as seen from outside. */
  quad(a: number, b: number, c: number, d: number): void {
    this.indices.push(a, b, c, a, c, d);
  }

  surface(): Surface {
    return {
      positions: new Float32Array(this.positions),
      normals: new Float32Array(this.normals),
      uvs: new Float32Array(this.uvs),
      indices: new Uint32Array(this.indices),
    };
  }
}

const thickness = 0.035;

/** `depth` is the height of the highest point, as a share of the longer edge. */
export function buildSolid(front: Heights, depth: number, back: Heights | undefined): Solid {
  const cells = computeCells(front);
  const shell = new Builder();
  const face = new Builder();
  addRelief(face, front, cells, depth, 1);
  const behind = new Builder();
  // The back is seen from the other side, so its picture is mirrored.
  if (back === undefined) addRelief(shell, front, cells, 0, -1);
  else addRelief(behind, mirror(back, front), cells, depth, -1);
  addWalls(shell, front, cells, depth, back === undefined ? undefined : mirror(back, front));
  return {
    front: face.surface(),
    shell: shell.surface(),
    back: back === undefined ? undefined : behind.surface(),
  };
}

function computeCells({ width, height, mask }: Heights): Uint8Array {
  const cells = new Uint8Array((width - 1) * (height - 1));
  for (let y = 0; y < height - 1; y++)
    for (let x = 0; x < width - 1; x++) {
      const at = y * width + x;
      const covered =
        (mask[at] ?? 0) +
        (mask[at + 1] ?? 0) +
        (mask[at + width] ?? 0) +
        (mask[at + width + 1] ?? 0);
      cells[y * (width - 1) + x] = covered >= 3 ? 1 : 0;
    }
  return cells;
}

/** Maps the back's heights onto the points of the front, mirrored. */
function mirror(back: Heights, front: Heights): Heights {
  const { width, height, mask } = front;
  const values = new Float32Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const fromX = Math.round(((width - 1 - x) / (width - 1)) * (back.width - 1));
      const fromY = Math.round((y / (height - 1)) * (back.height - 1));
      values[y * width + x] = back.values[fromY * back.width + fromX] ?? 0;
    }
  return { width, height, mask, values };
}

function addRelief(
  builder: Builder,
  heights: Heights,
  cells: Uint8Array,
  depth: number,
  side: 1 | -1,
): void {
  const { width, height } = heights;
  const numbers = new Int32Array(width * height).fill(-1);
  const getNumber = (x: number, y: number): number => {
    const at = y * width + x;
    if (numbers[at] === -1) {
      const u = x / (width - 1);
      numbers[at] = builder.vertex(
        computePoint(heights, x, y, depth, side),
        computeNormal(heights, x, y, depth, side),
        side === 1 ? u : 1 - u,
        y / (height - 1),
      );
    }
    return numbers[at] ?? 0;
  };
  for (let y = 0; y < height - 1; y++)
    for (let x = 0; x < width - 1; x++) {
      if (cells[y * (width - 1) + x] === 0) continue;
      const corners = [
        getNumber(x, y),
        getNumber(x, y + 1),
        getNumber(x + 1, y + 1),
        getNumber(x + 1, y),
      ] as const;
      const [a, b, c, d] = corners;
      if (side === 1) builder.quad(a, b, c, d);
      else builder.quad(d, c, b, a);
    }
}

function computePoint(
  { width, height, values }: Heights,
  x: number,
  y: number,
  depth: number,
  side: number,
): [number, number, number] {
  const scale = 1 / (Math.max(width, height) - 1);
  const out = thickness + (values[y * width + x] ?? 0) * depth;
  return [(x - (width - 1) / 2) * scale, ((height - 1) / 2 - y) * scale, side * out];
}

function computeNormal(
  { width, height, values }: Heights,
  x: number,
  y: number,
  depth: number,
  side: number,
): readonly [number, number, number] {
  const scale = Math.max(width, height) - 1;
  const at = (column: number, row: number): number =>
    values[
      Math.min(height - 1, Math.max(0, row)) * width + Math.min(width - 1, Math.max(0, column))
    ] ?? 0;
  const slopeX = ((at(x + 1, y) - at(x - 1, y)) / 2) * scale * depth;
  const slopeY = ((at(x, y - 1) - at(x, y + 1)) / 2) * scale * depth;
  const length = Math.hypot(slopeX, slopeY, 1);
  return [-slopeX / length, -slopeY / length, side / length];
}

/** Adds walls wherever a cell of the solid borders on an empty one. */
function addWalls(
  shell: Builder,
  front: Heights,
  cells: Uint8Array,
  depth: number,
  back: Heights | undefined,
): void {
  const { width, height } = front;
  const isSolid = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < width - 1 && y < height - 1 && cells[y * (width - 1) + x] === 1;
  const wall = (
    fromX: number,
    fromY: number,
    toX: number,
    toY: number,
    normal: readonly [number, number, number],
  ): void => {
    const corner = (x: number, y: number, side: 1 | -1): number => {
      const heights = side === 1 ? front : (back ?? front);
      const own = side === -1 && back === undefined ? 0 : depth;
      const position = computePoint(heights, x, y, own, side);
      return shell.vertex(position, normal, x / (width - 1), y / (height - 1));
    };
    shell.quad(
      corner(fromX, fromY, 1),
      corner(fromX, fromY, -1),
      corner(toX, toY, -1),
      corner(toX, toY, 1),
    );
  };
  for (let y = 0; y < height - 1; y++)
    for (let x = 0; x < width - 1; x++) {
      if (!isSolid(x, y)) continue;
      if (!isSolid(x - 1, y)) wall(x, y, x, y + 1, [-1, 0, 0]);
      if (!isSolid(x + 1, y)) wall(x + 1, y + 1, x + 1, y, [1, 0, 0]);
      if (!isSolid(x, y - 1)) wall(x + 1, y, x, y, [0, 1, 0]);
      if (!isSolid(x, y + 1)) wall(x, y + 1, x + 1, y + 1, [0, -1, 0]);
    }
}
