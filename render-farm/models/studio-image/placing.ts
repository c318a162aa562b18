import type { Spot } from "./brush.ts";
import { clamp01, mix } from "./noise.ts";
import type { Random } from "./seeded-random.ts";
import type { Stage } from "./stage.ts";
import type { Ground } from "./terrain.ts";

/** Returns the surface that supports a subject near a pixel, or undefined if there is none. */
export type Footing = (x: number, y: number) => Foot | undefined;

export interface Foot {
  readonly x: number;
  readonly y: number;
  readonly haze: number;
  /** Distance from the viewer, in a unit that the footing chooses. */
  readonly distance: number;
}

const hazeDistance = 150;

/** Footing on painted land: a point in the sky is moved down to the land below it. */
export function computeFooting({ width, height }: Stage, { distance }: Ground): Footing {
  return (x, y) => {
    const column = Math.round(clamp01(x / (width - 1)) * (width - 1));
    let row = Math.round(clamp01(y / (height - 1)) * (height - 1));
    while (row < height - 1 && distance[row * width + column] === 0) row++;
    const far = distance[row * width + column] ?? 0;
    if (far === 0) return undefined;
    return { x, y: row, haze: 1 - Math.exp(-((far / hazeDistance) ** 1.15)), distance: far };
  };
}

export function waterFooting({ height, horizon }: Stage): Footing {
  return (x, y) => {
    const down = Math.max(0.015, (y - horizon) / (height - horizon));
    return { x, y, haze: 0.6 * Math.exp(-down * 9), distance: 1 / down };
  };
}

/**
 * Returns `count` places for one kind of subject, far to near. The first, at `x` and `y`, has the
 * given size; the others lie around it and are scaled by their distance.
 */
export function spread(
  stage: Stage,
  footing: Footing,
  count: number,
  x: number,
  y: number,
  size: number,
  dice: Random,
): readonly Spot[] {
  const first = footing(x, y);
  if (first === undefined) return [];
  const spots: Spot[] = [{ ...first, size }];
  for (let i = 1; i < count; i++) {
    const away = (i % 2 === 0 ? 1 : -1) * Math.ceil(i / 2);
    const besideX = x + away * size * dice.between(0.75, 1.15);
    const besideY = mix(stage.horizon, y, dice.between(0.55, 1.12));
    const foot = footing(besideX, Math.min(besideY, stage.height * 0.96));
    if (foot === undefined) continue;
    const scale = Math.min(1.25, Math.max(0.3, first.distance / foot.distance));
    spots.push({ ...foot, size: size * scale * dice.between(0.88, 1.06) });
  }
  return spots.sort((a, b) => a.y - b.y);
}
