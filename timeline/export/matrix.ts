/** Affine maps of the plane, as CSS and canvases write them: `x' = a x + c y + e`. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
export type Point = readonly [x: number, y: number];

export function translation(x: number, y: number): Matrix {
  return [1, 0, 0, 1, x, y];
}

export function createScaling(x: number, y: number): Matrix {
  return [x, 0, 0, y, 0, 0];
}

/** Returns a rotation by degrees clockwise, as the y axis points down. */
export function rotation(degrees: number): Matrix {
  const turn = (degrees * Math.PI) / 180;
  return [Math.cos(turn), Math.sin(turn), -Math.sin(turn), Math.cos(turn), 0, 0];
}

/** Returns the map that does the last one first. */
export function product(...maps: readonly Matrix[]): Matrix {
  return maps.reduce(([a, b, c, d, e, f], [g, h, i, j, k, l]) => [
    a * g + c * h,
    b * g + d * h,
    a * i + c * j,
    b * i + d * j,
    a * k + c * l + e,
    b * k + d * l + f,
  ]);
}

export function apply([a, b, c, d, e, f]: Matrix, [x, y]: Point): Point {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** A map as a turn, then a stretch along the picture's own axes, without any slant left over. */
export interface Parts {
  /** Rotation in degrees clockwise. */
  readonly rotation: number;
  readonly scaleX: number;
  /** Vertical scale, negative in a mirror. */
  readonly scaleY: number;
  readonly isSlanted: boolean;
}

export function decomposeMatrix([a, b, c, d]: Matrix): Parts {
  const scaleX = Math.hypot(a, b);
  const scaleY = scaleX === 0 ? Math.hypot(c, d) : (a * d - b * c) / scaleX;
  const slant = scaleX === 0 || scaleY === 0 ? 0 : (a * c + b * d) / (scaleX * scaleY);
  return {
    rotation: (Math.atan2(b, a) * 180) / Math.PI,
    scaleX,
    scaleY,
    isSlanted: Math.abs(slant) > 1e-3,
  };
}
