import { bakeCube, bakedSize, type CubeTable, parseCube } from "../cube.ts";
import type { Grade } from "../grade.ts";
import type { EditLut } from "./edit-list.ts";
import { getSlug } from "./names.ts";

/** Collects the grades of an export, equal ones once. */
export class LutBook {
  private readonly byGrade = new Map<string, { readonly lut: EditLut; readonly clips: string[] }>();

  lutFor(grade: Grade, clip: string): EditLut {
    const name = JSON.stringify(grade);
    const known = this.byGrade.get(name);
    if (known !== undefined) {
      known.clips.push(clip);
      return known.lut;
    }
    const number = String(this.byGrade.size + 1).padStart(4, "0");
    const clips = [clip];
    const lut: EditLut = { path: `luts/${number}-${getSlug(clip, "grade")}.cube`, grade, clips };
    this.byGrade.set(name, { lut, clips });
    return lut;
  }

  all(): readonly EditLut[] {
    return [...this.byGrade.values()].map(({ lut }) => lut);
  }
}

/** Reads a table of a bundle by its path; returns a sentence where it cannot be used. */
export function readTable(
  path: string,
  text: string | undefined,
): CubeTable | undefined | { readonly fault: string } {
  const table = text === undefined ? undefined : parseCube(text);
  return (
    table ?? {
      fault: `${path} is left out: it is not a three-dimensional table of size 64 or less`,
    }
  );
}

/** Writes a LUT file with the same function that grades the frames of a render. */
export function writeLut({ grade, path }: EditLut, table: CubeTable | undefined): string {
  return bakeCube(grade, table, path.replace(/^luts\/|\.cube$/g, ""));
}

/** Bytes to count for a LUT file before it is made. */
export const lutBytes = bakedSize ** 3 * "0.000000 0.000000 0.000000\n".length + 200;
