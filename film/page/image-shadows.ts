/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/**
 * Blurred shadows of images as pictures: a page that draws itself blurs them anew in each frame,
 * and all at once where it could draw in strips, which takes as long as the rest of a frame. What
 * is blurred has no details, so a small picture around the image looks the same.
 *
 * Only of images: they cover what lies under them, where a shadow is cut out otherwise. A shadow
 * that the author changes is the browser's again for as long as it is another one.
 */
export class ImageShadows {
  private readonly shadows: readonly PaintedShadow[];

  private constructor(shadows: readonly PaintedShadow[]) {
    this.shadows = shadows;
  }

  /** Paints the shadows of all images within `content`, once their pictures have loaded. */
  static of(content: Element): ImageShadows {
    const images = [...content.querySelectorAll("img")].slice(0, imagesMax);
    const painted = images.flatMap((image): PaintedShadow[] => {
      const picture = isPlainImage(image) ? getPicture(image) : undefined;
      return picture === undefined ? [] : [{ image, looks: listLooks(image), picture }];
    });
    const style = document.createElement("style");
    style.textContent = painted.map(({ picture }, index) => writeRule(index, picture)).join("");
    document.head.append(style);
    return new ImageShadows(painted);
  }

  /** To be called before a frame is drawn: shows each shadow while it still fits its image. */
  follow(): void {
    for (const [index, { image, looks }] of this.shadows.entries()) {
      if (listLooks(image) !== looks) image.removeAttribute(shadowAttribute);
      else if (!image.hasAttribute(shadowAttribute))
        image.setAttribute(shadowAttribute, String(index));
    }
  }
}

interface PaintedShadow {
  readonly image: HTMLImageElement;
  /** State of the image for which the shadow was painted; see `listLooks`. */
  readonly looks: string;
  readonly picture: ShadowPicture;
}

/** A picture around a box, in the form of `border-image`. */
interface ShadowPicture {
  readonly url: string;
  /** Slices, in pixels of the picture. */
  readonly sliceX: number;
  readonly sliceY: number;
  /** How far the shadow reaches beyond the box; `width`: from there inwards. */
  readonly outset: number;
  readonly width: number;
}

interface Shadow {
  readonly color: string;
  readonly x: number;
  readonly y: number;
  readonly blur: number;
  readonly spread: number;
}

const shadowAttribute = "data-klieg-shadow";
const imagesMax = 20;
/** Largest size of one picture: about two full HD pictures. */
const pixelsMax = 4_000_000;

function writeRule(index: number, { url, sliceX, sliceY, outset, width }: ShadowPicture): string {
  return (
    `[${shadowAttribute}="${index}"]{box-shadow:none!important;` +
    `border-image:url("${url}") ${sliceY} ${sliceX} / ${width}px / ${outset}px stretch!important}`
  );
}

/** Lists what authors and their scripts change on a box when they change its shadow. */
function listLooks(image: HTMLImageElement): string {
  const { className, id, style, offsetWidth, offsetHeight, currentSrc } = image;
  const { boxShadow, border, borderRadius, borderImage, padding, objectFit } = style;
  const said = [boxShadow, border, borderRadius, borderImage, padding, objectFit];
  return [className, id, offsetWidth, offsetHeight, currentSrc, ...said].join("\n");
}

/** Whether the image always covers its box, which has no other content or decoration. */
function isPlainImage(image: HTMLImageElement): boolean {
  const style = getComputedStyle(image);
  const isBare =
    style.borderImageSource === "none" &&
    /^(0px ?)+$/.test(`${style.borderWidth} ${style.padding}`) &&
    /^(fill|cover)$/.test(style.objectFit) &&
    // Excluded: a transition would notice that the shadow is replaced, and animate that.
    /^(0s(, )?)+$/.test(style.transitionDuration);
  return isBare && !isReshaped(image) && isOpaque(image);
}

/** Whether an animation changes more than the image's position and visibility. */
function isReshaped(image: HTMLImageElement): boolean {
  const keyframes = image
    .getAnimations()
    .flatMap(({ effect }) => (effect instanceof KeyframeEffect ? effect.getKeyframes() : []));
  return keyframes.flatMap(Object.keys).some((name) => /^(box|border|padding|object)/.test(name));
}

function isOpaque(image: HTMLImageElement): boolean {
  const canvas = new OffscreenCanvas(64, 64);
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (pen === null || image.naturalWidth === 0) return false;
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  return data.every((value, at) => at % 4 !== 3 || value === 255);
}

/** Paints the shadow; undefined if the browser's own is as quick or its shape is unsupported. */
function getPicture(image: HTMLImageElement): ShadowPicture | undefined {
  const style = getComputedStyle(image);
  const shadows = parseShadows(style.boxShadow);
  const radius = parseRadius(style);
  if (shadows === undefined || radius === undefined) return undefined;
  const { offsetWidth: width, offsetHeight: height } = image;
  const reach = shadows.map(
    ({ x, y, blur, spread }) => Math.max(Math.abs(x), Math.abs(y)) + 1.5 * blur + spread,
  );
  const outset = Math.ceil(Math.max(...reach));
  const inset = Math.ceil(radius);
  if (Math.min(width, height) < 2 * inset + 2) return undefined;
  const scale = 1 / Math.max(1, Math.floor(Math.min(...shadows.map(({ blur }) => blur)) / 20));
  const full = { width: width + 2 * outset, height: height + 2 * outset };
  const canvas = document.createElement("canvas");
  const size = [Math.round(full.width * scale), Math.round(full.height * scale)] as const;
  if (size[0] * size[1] > pixelsMax) return undefined;
  [canvas.width, canvas.height] = size;
  const [scaleX, scaleY] = [canvas.width / full.width, canvas.height / full.height];
  const pen = canvas.getContext("2d");
  if (pen === null) return undefined;
  // Painted in reverse order, because the first shadow lies above the others.
  for (const { color, x, y, blur, spread } of shadows.toReversed()) {
    // The box itself is drawn outside the picture, so that only its shadow is inside.
    const far = canvas.width;
    pen.shadowColor = color;
    pen.shadowOffsetX = far + x * scaleX;
    pen.shadowOffsetY = y * scaleY;
    pen.shadowBlur = blur * scale;
    pen.beginPath();
    pen.roundRect(
      (outset - spread) * scaleX - far,
      (outset - spread) * scaleY,
      (width + 2 * spread) * scaleX,
      (height + 2 * spread) * scaleY,
      radius === 0 ? 0 : (radius + spread) * scale,
    );
    pen.fill();
  }
  const reached = outset + inset;
  const [sliceX, sliceY] = [reached * scaleX, reached * scaleY];
  return { url: canvas.toDataURL(), sliceX, sliceY, outset, width: reached };
}

/** Parses shadows; undefined unless all of them are blurred and outside the box. */
function parseShadows(computed: string): readonly Shadow[] | undefined {
  const shadows = computed.split(/,(?![^(]*\))/).map((text): Shadow | undefined => {
    const [, color = "", ...lengths] = shadowForm.exec(text.trim()) ?? [];
    const [x = 0, y = 0, blur = 0, spread = 0] = lengths.map(Number);
    return blur < blurMin || spread < 0 ? undefined : { color, x, y, blur, spread };
  });
  const found = shadows.filter((shadow) => shadow !== undefined);
  return found.length === shadows.length ? found : undefined;
}

/** Form of a shadow in the text of `getComputedStyle`. */
const shadowForm = /^(.+?\)) (-?[\d.]+)px (-?[\d.]+)px ([\d.]+)px (-?[\d.]+)px$/;
/** Smaller blurs cost the browser little. */
const blurMin = 8;

/** Radius of all four corners; undefined when they differ. */
function parseRadius(style: CSSStyleDeclaration): number | undefined {
  const { borderTopLeftRadius: radius, borderTopRightRadius, borderBottomLeftRadius } = style;
  const others = [borderTopRightRadius, borderBottomLeftRadius, style.borderBottomRightRadius];
  if (!/^[\d.]+px$/.test(radius) || others.some((other) => other !== radius)) return undefined;
  return Number.parseFloat(radius);
}
