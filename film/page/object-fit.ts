/// <reference lib="dom" />

/** Place of a picture by `object-fit` and `object-position`, from the corner of the padding. */
export interface Fitted {
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
}

export function fitObject(
  element: HTMLElement,
  size: { readonly width: number; readonly height: number },
): Fitted {
  const style = getComputedStyle(element);
  const padding = [style.paddingLeft, style.paddingTop, style.paddingRight, style.paddingBottom];
  const [left = 0, top = 0, right = 0, bottom = 0] = padding.map(Number.parseFloat);
  const room = [element.clientWidth - left - right, element.clientHeight - top - bottom] as const;
  const [wide, high] = [room[0] / size.width, room[1] / size.height];
  const [scaleX, scaleY] = scales(style.objectFit, wide, high);
  const [placeX = "50%", placeY = placeX] = style.objectPosition.split(" ");
  const x = left + offset(placeX, room[0] - size.width * scaleX);
  const y = top + offset(placeY, room[1] - size.height * scaleY);
  return { x, y, scaleX, scaleY };
}

function scales(objectFit: string, wide: number, high: number): readonly [x: number, y: number] {
  const inside = Math.min(wide, high);
  const [outside, reduced] = [Math.max(wide, high), Math.min(1, inside)];
  if (objectFit === "contain") return [inside, inside];
  if (objectFit === "cover") return [outside, outside];
  if (objectFit === "scale-down") return [reduced, reduced];
  return objectFit === "none" ? [1, 1] : [wide, high];
}

function offset(place: string, space: number): number {
  const value = Number.parseFloat(place);
  if (Number.isNaN(value)) return space / 2;
  return place.endsWith("%") ? (space * value) / 100 : value;
}
