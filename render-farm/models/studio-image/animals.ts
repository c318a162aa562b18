/// <reference lib="dom" />
import { type AnimalKind, type Body, bodies } from "./bodies.ts";
import { castShadow, type Limb, type Spot, tone, traceLimbs, within } from "./brush.ts";
import { type Color, css, lighter } from "./color.ts";
import type { Stage } from "./stage.ts";

export function isAnimal(kind: string): kind is AnimalKind {
  return Object.hasOwn(bodies, kind);
}

export function paintAnimal(
  stage: Stage,
  kind: AnimalKind,
  spot: Spot,
  color: Color | undefined,
  facing: -1 | 1,
): void {
  const { ctx, palette, sun } = stage;
  const body: Body = bodies[kind];
  const coat = color ?? body.coat;
  castShadow(stage, spot, 0.7);
  within(ctx, spot, facing, () => {
    const fill = (limbs: readonly Limb[], ink: Color): void => {
      ctx.fillStyle = css(ink);
      ctx.beginPath();
      traceLimbs(ctx, limbs);
      ctx.fill();
    };
    fill(body.behind ?? [], tone(stage, lighter(coat, -0.07), 0.12, spot.haze));
    ctx.save();
    ctx.translate(sun.side * facing * 1.1, -0.7);
    fill(body.limbs, tone(stage, lighter(palette.light, 0.02), 1, spot.haze));
    ctx.restore();
    const across = ctx.createLinearGradient(20, 10, 50 + 30 * sun.side * facing, 100);
    across.addColorStop(0, css(tone(stage, coat, 0.62, spot.haze)));
    across.addColorStop(1, css(tone(stage, coat, 0.2, spot.haze)));
    ctx.fillStyle = across;
    ctx.beginPath();
    traceLimbs(ctx, body.limbs);
    ctx.fill();
    for (const mark of body.marks ?? [])
      fill(mark.limbs, tone(stage, lighter(coat, mark.by), 0.5, spot.haze));
  });
}
