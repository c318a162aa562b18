/// <reference lib="dom" />
import { css } from "./color.ts";
import { gradientNoise } from "./noise.ts";
import { newCanvas, type Stage } from "./stage.ts";

/** Effects over the whole finished picture: bloom, vignette and grain. */
export function finish(stage: Stage): void {
  const isNeon = stage.brief.style === "neon";
  paintBloom(stage, isNeon ? 0.6 : 0.24);
  paintVignette(stage);
  paintGrain(stage, stage.brief.style === "retro" ? 15 : 7);
}

/** Lets light spread over the edges of bright areas. */
export function paintBloom({ ctx, width, height }: Stage, strength: number): void {
  const small = newCanvas(Math.ceil(width / 8), Math.ceil(height / 8));
  small.imageSmoothingQuality = "high";
  small.filter = "brightness(0.82) contrast(1.5) blur(6px)";
  small.drawImage(ctx.canvas, 0, 0, small.canvas.width, small.canvas.height);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.globalAlpha = strength;
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(small.canvas, 0, 0, width, height);
  ctx.restore();
}

export function paintVignette({ ctx, width, height, palette }: Stage): void {
  const reach = Math.hypot(width, height) / 2;
  const shade = ctx.createRadialGradient(
    width / 2,
    height * 0.46,
    reach * 0.5,
    width / 2,
    height * 0.5,
    reach * 1.06,
  );
  shade.addColorStop(0, css(palette.shadow, 0));
  shade.addColorStop(1, css(palette.shadow, 0.42));
  ctx.save();
  ctx.globalCompositeOperation = "multiply";
  ctx.fillStyle = shade;
  ctx.fillRect(0, 0, width, height);
  ctx.restore();
}

/** Adds grain with slow mottling, as of paint on paper, which hides the banding of gradients. */
function paintGrain({ ctx, width, height, unit, random }: Stage, strength: number): void {
  const dice = random.fork("grain");
  const mottle = gradientNoise(dice);
  const image = ctx.getImageData(0, 0, width, height);
  const { data } = image;
  let state = dice.index(4_294_967_296) | 1;
  for (let y = 0, at = 0; y < height; y++) {
    const row = (y / unit) * 60;
    let slow = 0;
    for (let x = 0; x < width; x++, at += 4) {
      if ((x & 3) === 0) slow = mottle((x / unit) * 60, row) * strength * 0.4;
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      const fine = (((state & 255) + ((state >>> 8) & 255)) / 255 - 1) * strength + slow;
      data[at] = (data[at] ?? 0) + fine;
      data[at + 1] = (data[at + 1] ?? 0) + fine;
      data[at + 2] = (data[at + 2] ?? 0) + fine;
    }
  }
  ctx.putImageData(image, 0, 0);
}
