import { type Curve, getFirst, isFixed } from "../curve.ts";
import {
  type Crop,
  type EditList,
  type EditMask,
  type EditMedia,
  type EditText,
  editFps,
  type PictureClip,
  type SoundClip,
} from "../edit-list.ts";
import type { Point } from "../matrix.ts";
import type { Notes } from "../notes.ts";
import { jsxPrelude } from "./jsx-prelude.ts";

/**
 * A script that builds the composition in After Effects: ASCII, ECMAScript 3, one function that is
 * invoked at once.
 *
 * 1. Layers are added bottom first, sounds before pictures.
 * 2. After Effects moves the points of a layer when its stretch changes, so that is set first.
 */
export function writeJsx(list: EditList, notes: Notes): string {
  const { name, width, height, frames } = list;
  const seconds = frames / editFps;
  const soundsByKey = new Map(
    list.sounds.flatMap(({ clips }) => clips.map((sound) => [sound.key, sound] as const)),
  );
  const pictures = list.pictures.flatMap(({ clips, isEnabled, isLocked }) =>
    clips.map((clip) => ({ clip, isEnabled: clip.isEnabled && isEnabled, isLocked })),
  );
  const shown = new Set(pictures.map(({ clip }) => clip.key));
  const sounds = list.sounds.flatMap(({ clips, isLocked }) =>
    clips.filter(({ key }) => !shown.has(key)).map((clip) => ({ clip, isLocked })),
  );
  const layers = [
    ...sounds.map(({ clip, isLocked }) => [...soundLayer(clip), ...writeLock(isLocked)]),
    ...pictures.map(({ clip, isEnabled, isLocked }) => [
      ...pictureLayer({ ...clip, isEnabled }, soundsByKey.get(clip.key), notes),
      ...writeLock(isLocked),
    ]),
  ];
  const opening = [
    `comp = app.project.items.addComp(${text(name)}, ${width}, ${height}, 1, ${amount(seconds)}, ${editFps});`,
    ...list.media.map((media) => importLine(media, list)),
  ];
  return `(function () {
${jsxPrelude}
  var comp;
  var media = [];
  var layer;

  app.beginUndoGroup(${text(`Klieg: ${name}`)});
  try {
${indent([...opening, ...layers.flat(), ...markerLines(list)])}
  } finally {
    app.endUndoGroup();
  }
  if (missing.length === 0) {
    alert("Every file was found.");
  } else {
    alert("These files are missing and stand as placeholders:\\n" + missing.join("\\n"));
  }
}());
`;
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `    ${line}`).join("\n");
}

function importLine(media: EditMedia, { width, height, frames }: EditList): string {
  const edge = (value: number): number => Math.min(30_000, Math.max(4, Math.round(value)));
  const seconds = Math.min(10_800, (media.frames ?? frames) / editFps);
  const size = `${edge(media.width ?? width)}, ${edge(media.height ?? height)}`;
  const place = `${text(media.path)}, ${size}, ${editFps}, ${amount(seconds)}`;
  return `media[${getNumber(media)}] = footage(${place});`;
}

function getNumber({ path }: EditMedia): number {
  return Number(path.slice("media/".length, "media/0000".length));
}

function markerLines({ markers }: EditList): readonly string[] {
  const lines = markers.map(
    ({ name, start, end }) => `mark(${text(name)}, ${seconds(start)}, ${seconds(end - start)});`,
  );
  return lines.length === 0 ? [] : ["", ...lines];
}

function writeLock(isLocked: boolean): readonly string[] {
  return isLocked ? ["layer.locked = true;"] : [];
}

interface Timed {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly rate: number;
  readonly isEnabled: boolean;
}

function placeLine({ name, start, end, from, rate, isEnabled }: Timed, comment: string): string {
  const stretch = amount(100 / rate);
  const origin = amount((start - from / rate) / editFps);
  const points = `${origin}, ${seconds(start)}, ${seconds(end)}`;
  return `place(layer, ${text(name)}, ${text(comment)}, ${stretch}, ${points}, ${isEnabled});`;
}

function soundLayer(clip: SoundClip): readonly string[] {
  return [
    "",
    `layer = comp.layers.add(media[${getNumber(clip.media)}]);`,
    placeLine(clip, ""),
    `layer.audioEnabled = ${clip.isEnabled};`,
    ...levels(clip),
  ];
}

function pictureLayer(
  clip: PictureClip,
  sound: SoundClip | undefined,
  notes: Notes,
): readonly string[] {
  const { content, lut, heldFrom, start } = clip;
  const comment = lut === undefined ? "" : `Apply ${lut.path} (effect Apply Color LUT)`;
  const added =
    content.kind === "media"
      ? [`layer = comp.layers.add(media[${getNumber(content.media)}]);`]
      : [`layer = comp.layers.addText(${text(content.text.lines.join("\r"))});`];
  return [
    "",
    ...added,
    placeLine(
      heldFrom === undefined ? clip : { ...clip, end: start + Math.max(1, heldFrom) },
      comment,
    ),
    ...writeHold(clip),
    ...(content.kind === "text" ? writeTextLayer(content.text, notes) : []),
    ...(sound === undefined ? [] : [`layer.audioEnabled = ${sound.isEnabled};`, ...levels(sound)]),
    ...(sound === undefined && content.kind === "media" && content.media.channels > 0
      ? ["layer.audioEnabled = false;"]
      : []),
    ...writePose(clip),
    ...writeMask(clip),
  ];
}

/** Holds the last picture from where the source ends. */
function writeHold(clip: PictureClip): readonly string[] {
  const { heldFrom, start, end, from, rate, content } = clip;
  if (heldFrom === undefined) return [];
  const last = Math.max(0, heldFrom - 1);
  const frames = content.kind === "media" ? content.media.frames : undefined;
  const value = Math.min(from + last * rate, (frames ?? Number.POSITIVE_INFINITY) - 1) / editFps;
  return [
    `hold(layer, ${seconds(start + last)}, ${amount(value)});`,
    `layer.outPoint = ${seconds(end)};`,
  ];
}

function writePose(clip: PictureClip): readonly string[] {
  const { pose, content } = clip;
  const anchor = findAnchor(content);
  const scale = (value: readonly number[]): readonly number[] => value.map((one) => one * 100);
  return [
    ...(anchor === undefined
      ? []
      : [`set(transform(layer, "ADBE Anchor Point"), ${points(anchor)});`]),
    propertyLine("ADBE Position", pose.position, clip, (value) => points(value)),
    propertyLine("ADBE Scale", pose.scale, clip, (value) => points(scale(value))),
    propertyLine("ADBE Rotate Z", pose.rotation, clip, ([turn = 0]) => amount(turn)),
    propertyLine("ADBE Opacity", pose.opacity, clip, ([share = 1]) => amount(share * 100)),
  ];
}

/** Finds the picture's middle, which a pose refers to. */
function findAnchor(content: PictureClip["content"]): Point | undefined {
  if (content.kind === "media") {
    const { width, height } = content.media;
    return width === undefined || height === undefined ? undefined : [width / 2, height / 2];
  }
  // A text's own origin is on the base of its first line, where that line is justified.
  const { box, baseline, align } = content.text;
  const shares = { left: 0.5, center: 0, right: -0.5 } as const;
  return [box.width * shares[align], box.height / 2 - baseline];
}

function propertyLine(
  name: string,
  curve: Curve,
  { start }: PictureClip,
  write: (value: readonly number[]) => string,
): string {
  return curveLine(`transform(layer, ${text(name)})`, curve, start, write);
}

function curveLine(
  property: string,
  curve: Curve,
  start: number,
  write: (value: readonly number[]) => string,
): string {
  if (isFixed(curve)) return `set(${property}, ${write(getFirst(curve))});`;
  const times = curve.keys.map(({ frame }) => seconds(start + frame)).join(", ");
  const values = curve.keys.map(({ value }) => write(value)).join(", ");
  return `animate(${property}, [${times}], [${values}]);`;
}

/** Level in decibels below which nothing is audible. */
const silenceDb = -96;

function levels({ gain, start, isEnabled }: SoundClip): readonly string[] {
  const isFull = isFixed(gain) && getFirst(gain)[0] === 1;
  if (isFull || !isEnabled) return [];
  const decibels = ([share = 1]: readonly number[]): string => {
    const level = share <= 0 ? silenceDb : Math.max(silenceDb, 20 * Math.log10(share));
    return `[${amount(level)}, ${amount(level)}]`;
  };
  const property = 'layer.property("ADBE Audio Group").property("ADBE Audio Levels")';
  return [curveLine(property, inDecibels(gain), start, decibels)];
}

/** A straight ramp of linear gain is none in decibels, so a key is written at each frame. */
function inDecibels({ keys }: Curve): Curve {
  const all = keys.flatMap((key, at) => {
    const next = keys[at + 1];
    const [from = 0, to = 0] = [key.value[0], next?.value[0]];
    if (next === undefined || from === to) return [key];
    const steps = next.frame - key.frame;
    return Array.from({ length: steps }, (_, step) => ({
      frame: key.frame + step,
      value: [from + ((to - from) * step) / steps],
    }));
  });
  return { keys: all };
}

function writeMask({ mask, crop, content }: PictureClip): readonly string[] {
  const { width = 0, height = 0 } = content.kind === "media" ? content.media : {};
  const lines: string[] = [];
  if (crop !== undefined) lines.push(maskLine(cropMask(crop, width, height), "ADD"));
  if (mask !== undefined) lines.push(maskLine(mask, crop === undefined ? "ADD" : "INTERSECT"));
  return lines;
}

function cropMask({ left, top, right, bottom }: Crop, width: number, height: number): EditMask {
  const points: readonly Point[] = [
    [left * width, top * height],
    [(1 - right) * width, (1 - bottom) * height],
  ];
  return { shape: "rect", points, feather: 0, isInverted: false };
}

/** Handle length of a cubic curve for a quarter of a circle of radius 1. */
const arm = 0.5522847498;

function maskLine({ shape, points: given, feather, isInverted }: EditMask, mode: string): string {
  const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = given;
  const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
  const [top, bottom] = [Math.min(y1, y2), Math.max(y1, y2)];
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const [across, down] = [((right - left) / 2) * arm, ((bottom - top) / 2) * arm];
  const rounded: readonly (readonly [at: Point, into: Point])[] = [
    [
      [x, top],
      [-across, 0],
    ],
    [
      [right, y],
      [0, -down],
    ],
    [
      [x, bottom],
      [across, 0],
    ],
    [
      [left, y],
      [0, down],
    ],
  ];
  const corners: readonly Point[] =
    shape === "rect"
      ? [
          [left, top],
          [right, top],
          [right, bottom],
          [left, bottom],
        ]
      : given;
  const outline =
    shape === "ellipse" ? rounded : corners.map((corner) => [corner, [0, 0]] as const);
  const vertices = outline.map(([at]) => points(at)).join(", ");
  const into = outline.map(([, tangent]) => points(tangent)).join(", ");
  const out = outline.map(([, [dx, dy]]) => points([0 - dx, 0 - dy])).join(", ");
  const shapes = `[${vertices}], [${into}], [${out}]`;
  return `mask(layer, MaskMode.${mode}, ${shapes}, ${amount(feather)}, ${isInverted});`;
}

const justifications = {
  left: "LEFT_JUSTIFY",
  center: "CENTER_JUSTIFY",
  right: "RIGHT_JUSTIFY",
} as const;

function writeTextLayer(written: EditText, notes: Notes): readonly string[] {
  const { fontFamily, fontSize, isBold, color, align, id } = written;
  const font = postScriptName(fontFamily, isBold);
  notes.add(
    `text#${id.slice(0, 80)} asks After Effects for the font ${font}; choose another where it has none of that name`,
  );
  const justification = `ParagraphJustification.${justifications[align]}`;
  const style = `${amount(fontSize)}, ${text(font)}, ${points(color)}, ${justification}`;
  return [`write(layer, ${style}, ${amount(fontSize * 1.2)});`];
}

const generic: Readonly<Record<string, readonly [plain: string, bold: string]>> = {
  "sans-serif": ["ArialMT", "Arial-BoldMT"],
  arial: ["ArialMT", "Arial-BoldMT"],
  helvetica: ["Helvetica", "Helvetica-Bold"],
  serif: ["TimesNewRomanPSMT", "TimesNewRomanPS-BoldMT"],
  "times new roman": ["TimesNewRomanPSMT", "TimesNewRomanPS-BoldMT"],
  monospace: ["CourierNewPSMT", "CourierNewPS-BoldMT"],
  "courier new": ["CourierNewPSMT", "CourierNewPS-BoldMT"],
};

/** Guesses a font's PostScript name, which After Effects needs; most families are in it. */
function postScriptName(families: string, isBold: boolean): string {
  const [first = ""] = families.split(",");
  const family = first.trim().replace(/^["']|["']$/g, "");
  const [plain, bold] = generic[family.toLowerCase()] ?? [];
  const stem = family.replace(/[^A-Za-z0-9-]/g, "") || "ArialMT";
  return (isBold ? bold : plain) ?? `${stem}-${isBold ? "Bold" : "Regular"}`;
}

function seconds(frame: number): string {
  return amount(frame / editFps);
}

function points(values: readonly number[]): string {
  return `[${values.map(amount).join(", ")}]`;
}

/** Writes a number with six digits and no exponent. */
function amount(value: number): string {
  return String(Number(value.toFixed(6)));
}

/** Writes a string literal in ASCII. */
function text(value: string): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
