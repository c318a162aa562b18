/// <reference lib="dom" />
import { css, lch } from "../studio-image/color.ts";
import type { Place } from "../studio-image/layout.ts";
import { glow, newCanvas, type Stage } from "../studio-image/stage.ts";
import {
  paintFog,
  paintLightning,
  paintRain,
  paintRainbow,
  paintSnowfall,
} from "../studio-image/weather.ts";
import { type Layer, stillLayer } from "./layers.ts";

/** Layers of weather between the camera and the scene that fall, drift, glow or strike. */
export function airLayers(stage: Stage, place: Place): readonly Layer[] {
  const { weathers, subjects } = stage.brief;
  const layers: Layer[] = [];
  if (subjects.some(({ kind }) => kind === "rainbow"))
    layers.push(stillLayer(stage, 0.2, paintRainbow));
  if (weathers.has("lightning")) layers.push(lightningLayer(stage));
  if (weathers.has("fog")) layers.push(fogLayer(stage));
  const isWintry = place.ground === "snow" && !weathers.has("rain");
  if (weathers.has("rain")) layers.push({ depth: 0.9, paint: paintRain });
  else if (weathers.has("snowfall") || isWintry) layers.push({ depth: 0.9, paint: paintSnowfall });
  else if (place.ground === "meadow" || place.ground === "forest") layers.push(moteLayer(stage));
  else if (place.ground === "dunes") layers.push(sandLayer(stage));
  return layers;
}

function fogLayer(stage: Stage): Layer {
  const wide = newCanvas(stage.width, stage.height);
  paintFog({ ...stage, ctx: wide });
  return {
    depth: 0.45,
    paint({ ctx, width, unit, atSeconds }) {
      const reach = unit * 0.05;
      for (const [way, strength] of [
        [1, 0.65],
        [-1, 0.5],
      ] as const) {
        ctx.globalAlpha = strength;
        const x = way * reach * Math.sin(atSeconds * 0.35 + way);
        ctx.drawImage(wide.canvas, x - reach, 0, width + 2 * reach, stage.height);
      }
      ctx.globalAlpha = 1;
    },
  };
}

/** Lightning: two strikes in every five seconds, each a flicker with an afterglow. */
function lightningLayer(stage: Stage): Layer {
  const dice = stage.random.fork("strikes");
  const bolts = ["first", "second"].map((name) => {
    const ctx = newCanvas(stage.width, stage.height);
    paintLightning({ ...stage, ctx, random: stage.random.fork(name) });
    return ctx.canvas;
  });
  const strikes = [dice.between(0.3, 1.4), dice.between(2.6, 4.2)];
  return {
    depth: 0.1,
    paint({ ctx, width, height, atSeconds, palette }) {
      for (const [i, start] of strikes.entries()) {
        const since = (((atSeconds - start) % 5) + 5) % 5;
        const flicker = since < 0.34 ? 0.55 + 0.45 * Math.cos(since * 55) : 0;
        const strength = Math.max(flicker, since < 0.7 ? 0.5 * Math.exp(-since * 7) : 0);
        const bolt = bolts[i];
        if (strength < 0.02 || bolt === undefined) continue;
        ctx.globalCompositeOperation = "screen";
        ctx.fillStyle = css(palette.light, strength * 0.22);
        ctx.fillRect(0, 0, width, height);
        ctx.globalAlpha = strength;
        ctx.drawImage(bolt, 0, 0);
        ctx.globalAlpha = 1;
        ctx.globalCompositeOperation = "source-over";
      }
    },
  };
}

/** Pollen in the light; after dark, fireflies. */
function moteLayer(stage: Stage): Layer {
  const { random, width, height, horizon, palette, unit } = stage;
  const dice = random.fork("motes");
  const ink = palette.isDark ? lch(0.92, 0.16, 105) : lch(0.98, 0.05, 92);
  const motes = Array.from({ length: palette.isDark ? 40 : 54 }, () => ({
    x: dice.between(0, width),
    y: dice.between(horizon * 0.75, height),
    size: unit * dice.between(0.0014, 0.004),
    phase: dice.between(0, 7),
    pace: dice.between(0.4, 1.1),
  }));
  return {
    depth: 0.75,
    paint({ ctx, atSeconds }) {
      ctx.globalCompositeOperation = "screen";
      for (const { x, y, size, phase, pace } of motes) {
        const turn = atSeconds * pace + phase;
        const pulse = palette.isDark ? Math.max(0, Math.sin(turn * 2.2)) ** 2 : 0.55;
        const atX = x + Math.sin(turn) * unit * 0.03 + atSeconds * unit * 0.008;
        const atY = y + Math.cos(turn * 1.3) * unit * 0.016 - atSeconds * unit * 0.006;
        glow(ctx, atX, atY, size * (palette.isDark ? 5 : 2.2), [
          [0, css(ink, pulse)],
          [0.3, css(ink, pulse * 0.4)],
          [1, css(ink, 0)],
        ]);
      }
      ctx.globalCompositeOperation = "source-over";
    },
  };
}

/** Veils of blown sand along the ground. */
function sandLayer(stage: Stage): Layer {
  const { random, width, height, horizon, palette, unit, sun } = stage;
  const dice = random.fork("sand");
  const veils = Array.from({ length: 22 }, () => ({
    x: dice.next(),
    y: horizon + (height - horizon) * dice.between(0.03, 0.85),
    wide: unit * dice.between(0.18, 0.5),
    pace: dice.between(0.05, 0.13),
    strength: dice.between(0.05, 0.14),
  }));
  return {
    depth: 0.6,
    paint({ ctx, atSeconds }) {
      for (const { x, y, wide, pace, strength } of veils) {
        const at = (((x - sun.side * pace * atSeconds) % 1) + 1) % 1;
        ctx.save();
        ctx.translate((at * 1.4 - 0.2) * width, y + Math.sin(atSeconds + x * 9) * unit * 0.004);
        ctx.scale(1, 0.035);
        glow(ctx, 0, 0, wide, [
          [0, css(palette.light, strength)],
          [1, css(palette.light, 0)],
        ]);
        ctx.restore();
      }
    },
  };
}
