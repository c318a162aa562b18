import { type Curve, getFirst, isFixed } from "../curve.ts";
import type { Crop, EditList, PictureClip, SoundClip } from "../edit-list.ts";
import type { Notes } from "../notes.ts";
import { computeCrop } from "../placing.ts";
import { curveTags } from "./xmeml-curves.ts";
import { type Tag, tag } from "./xml.ts";

/** Writes the effects of a picture, without those that would change nothing. */
export function pictureFilters(
  clip: PictureClip,
  { width, height }: EditList,
  { isDissolving }: { readonly isDissolving: boolean },
  notes: Notes,
): readonly Tag[] {
  const { pose, rate } = clip;
  const when = (frame: number): number => clip.from + Math.round(frame * rate);
  const percent = ([share = 1]: readonly number[]): Tag => tag("value", round(share * 100));
  const centre = ([x = 0, y = 0]: readonly number[]): Tag =>
    tag("value", [
      tag("horiz", round((x - width / 2) / width)),
      tag("vert", round((y - height / 2) / height)),
    ]);
  const turn = ([degrees = 0]: readonly number[]): Tag => tag("value", round(degrees));
  const isPlain =
    isFixed(pose.scale) &&
    isFixed(pose.rotation) &&
    isFixed(pose.position) &&
    isNeutral(clip, width, height);
  const [across = 1, down = 1] = getFirst(pose.scale);
  if (Math.abs(across / down - 1) > 0.002)
    notes.add(
      `${clip.name} is stretched in one direction: sequence.xml has the scale of its width`,
    );
  const basic = effect("Basic Motion", "basic", "motion", "video", [
    parameter("scale", "Scale", curveTags(pose.scale, when, percent), 0, 10_000),
    parameter("rotation", "Rotation", curveTags(pose.rotation, when, turn), -8_640, 8_640),
    parameter("center", "Center", curveTags(pose.position, when, centre)),
    parameter("centerOffset", "Anchor Point", [tag("value", [tag("horiz", 0), tag("vert", 0)])]),
  ]);
  const isSolid = isDissolving || (isFixed(pose.opacity) && getFirst(pose.opacity)[0] === 1);
  const opacity = effect("Opacity", "opacity", "motion", "video", [
    parameter("opacity", "Opacity", curveTags(pose.opacity, when, percent), 0, 100),
  ]);
  const crop = cropFor(clip, notes);
  return [
    ...(isPlain ? [] : [basic]),
    ...(isSolid ? [] : [opacity]),
    ...(crop === undefined ? [] : [cropFilter(crop)]),
    ...speed(rate, "video"),
  ];
}

export function audioFilters(clip: SoundClip): readonly Tag[] {
  const when = (frame: number): number => clip.from + Math.round(frame * clip.rate);
  const level = ([gain = 1]: readonly number[]): Tag => tag("value", round(gain));
  const isFull = isFixed(clip.gain) && getFirst(clip.gain)[0] === 1;
  const levels = effect("Audio Levels", "audiolevels", "audiolevels", "audio", [
    parameter("level", "Level", curveTags(clip.gain, when, level), 0, 3.98109),
  ]);
  return [...(isFull ? [] : [levels]), ...speed(clip.rate, "audio")];
}

/** Whether a pose is the default: editors show a picture centred at its own size. */
function isNeutral({ pose }: PictureClip, width: number, height: number): boolean {
  const [x = 0, y = 0] = getFirst(pose.position);
  const isCentred = Math.abs(x - width / 2) < 0.01 && Math.abs(y - height / 2) < 0.01;
  return isCentred && isAbout(pose.scale, 1) && isAbout(pose.rotation, 0);
}

function isAbout(curve: Curve, wanted: number): boolean {
  return Math.abs((getFirst(curve)[0] ?? 0) - wanted) < 1e-4;
}

function cropFor(clip: PictureClip, notes: Notes): Crop | undefined {
  const { mask, crop, content, name } = clip;
  if (mask === undefined) return crop;
  const size = content.kind === "media" ? content.media : undefined;
  const { width = 0, height = 0 } = size ?? {};
  const cut = width > 0 && height > 0 ? computeCrop(mask, { width, height }, crop) : undefined;
  const shape = mask.isInverted ? `inverted ${mask.shape}` : mask.shape;
  if (cut === undefined) notes.add(`${name} has a mask (${shape}), which sequence.xml leaves out`);
  else if (mask.feather > 0) notes.add(`${name}: the soft edge of its mask is a hard crop`);
  return cut ?? crop;
}

function cropFilter({ left, right, top, bottom }: Crop): Tag {
  const side = (id: string, share: number): Tag =>
    parameter(
      id,
      `${id[0]?.toUpperCase()}${id.slice(1)}`,
      [tag("value", round(share * 100))],
      0,
      100,
    );
  return effect("Crop", "crop", "motion", "video", [
    side("left", left),
    side("right", right),
    side("top", top),
    side("bottom", bottom),
  ]);
}

function speed(rate: number, mediaType: "video" | "audio"): readonly Tag[] {
  if (Math.abs(rate - 1) < 1e-6) return [];
  const percent = round(rate * 100);
  return [
    effect("Time Remap", "timeremap", "motion", mediaType, [
      parameter("variablespeed", "variablespeed", [tag("value", 0)], 0, 1),
      parameter("speed", "speed", [tag("value", percent)], -100_000, 100_000),
      parameter("reverse", "reverse", [tag("value", "FALSE")]),
      parameter("frameblending", "frameblending", [tag("value", "FALSE")]),
    ]),
  ];
}

function effect(
  name: string,
  id: string,
  kind: "motion" | "audiolevels",
  mediaType: "video" | "audio",
  parameters: readonly Tag[],
): Tag {
  return tag("filter", [
    tag("enabled", "TRUE"),
    tag("start", -1),
    tag("end", -1),
    tag("effect", [
      tag("name", name),
      tag("effectid", id),
      tag("effectcategory", kind),
      tag("effecttype", kind),
      tag("mediatype", mediaType),
      ...parameters,
    ]),
  ]);
}

function parameter(
  id: string,
  name: string,
  values: readonly Tag[],
  least?: number,
  most?: number,
): Tag {
  return tag("parameter", [
    tag("parameterid", id),
    tag("name", name),
    ...(least === undefined ? [] : [tag("valuemin", least)]),
    ...(most === undefined ? [] : [tag("valuemax", most)]),
    ...values,
  ]);
}

/** Writes a number with six digits and no exponent. */
function round(value: number): string {
  return String(Number(value.toFixed(6)));
}
