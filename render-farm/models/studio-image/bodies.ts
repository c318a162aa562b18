import { type Limb, listLimbs } from "./brush.ts";
import { type Color, lch } from "./color.ts";

/**
 * Animals and people made of limbs, in hundredths of their height, facing right, with the foot at
 * 100. A limb is one line of points, each `x y radius`, and is filled by discs along a smooth curve
 * through them.
 */
export interface Body {
  readonly coat: Color;
  readonly limbs: readonly Limb[];
  /** Limbs on the far side, such as the farther legs; painted first and darker. */
  readonly behind?: readonly Limb[];
  /** Details painted in a lighter or darker shade of the coat. */
  readonly marks?: readonly { readonly by: number; readonly limbs: readonly Limb[] }[];
}

export const bodies = {
  deer: {
    coat: lch(0.52, 0.075, 55),
    limbs: listLimbs(`
      22 52 9  38 53 10.5  54 51 9  62 47 8
      60 48 8  67 36 5.5  71 27 4.5
      71 25 4.8  77 27.5 3.6  83 31 2.2
      68 24 1.6  62 20 1.2
      21 54 7  19 66 4  22 76 2.3  19 98 1.7
      60 52 6  61 66 3.3  60 78 2  60 98 1.7
      15 46 3  12 53 1.6
      71 22 1.1  65 12 1  66 1 0.6
      67 14 0.9  58 9 0.8  56 1 0.5
      66 8 0.8  72 1 0.5
      72 22 1.1  79 13 1  81 2 0.6
      77 15 0.9  86 9 0.8  89 1 0.5
      80 8 0.8  75 3 0.5`),
    behind: listLimbs(`
      28 56 6  30 68 3.4  27 77 2.1  29 97 1.6
      55 54 5  52 68 2.9  54 79 1.9  52 97 1.6`),
  },
  horse: {
    coat: lch(0.42, 0.08, 45),
    limbs: listLimbs(`
      20 44 13  38 46 12.5  56 44 12  64 40 10
      62 40 10.5  72 26 7.5  79 13 5.6
      79 12 6  87 18 4.6  94 25 3.4
      77 9 1.8  78 3 0.8
      17 46 10  12 62 5  16 74 3  10 97 2.6
      62 48 8  70 62 4.4  82 66 2.7  80 80 2.2`),
    behind: listLimbs(`
      24 50 8  28 64 4.4  24 76 2.8  29 97 2.4
      58 50 7  58 66 3.9  57 80 2.5  60 97 2.3`),
    marks: [
      {
        by: -0.16,
        limbs: listLimbs(`
      78 6 2.6  68 16 4  60 30 3.4  56 38 1.5
      9 40 3.4  1 50 4  -3 66 3  -4 76 0.8`),
      },
    ],
  },
  camel: {
    coat: lch(0.62, 0.08, 68),
    limbs: listLimbs(`
      20 48 9  40 46 11  60 48 9
      34 38 7  41 25 6  48 38 7
      62 48 7.5  72 50 5  79 40 4  80 26 3.6
      80 23 4.2  87 24 3.6  93 27 2.4
      18 50 7  17 68 3.6  19 80 2.6  18 98 2.6
      62 52 5.5  62 70 3.2  61 82 2.4  63 98 2.6
      11 46 2  9 58 1.2`),
    behind: listLimbs(`
      25 54 6  28 70 3.2  26 82 2.4  29 97 2.4
      57 54 5  54 70 3  56 82 2.2  54 97 2.4`),
  },
  elephant: {
    coat: lch(0.53, 0.018, 270),
    limbs: listLimbs(`
      24 36 21  44 34 24  60 36 20
      68 30 15  74 34 12
      80 38 8  86 54 5.5  88 72 4  93 84 2.6  98 82 1.8
      20 50 12  17 74 8  17 93 7
      60 50 11  61 74 7.6  61 93 7
      4 34 1.8  1 56 1.2  2 64 2`),
    behind: listLimbs(`
      32 54 10  33 74 7.4  33 92 6.6
      50 54 10  48 74 7.2  47 92 6.6`),
    marks: [
      {
        by: -0.06,
        limbs: listLimbs("62 24 8  58 36 9  62 46 5"),
      },
      {
        by: 0.36,
        limbs: listLimbs("80 46 2.2  88 56 1.8  96 56 0.8"),
      },
    ],
  },
  fox: {
    coat: lch(0.62, 0.16, 48),
    limbs: listLimbs(`
      30 60 13  48 60 12.5  66 58 12
      66 56 11  76 44 9.5
      78 42 10.5  88 48 5.5  97 52 1.8
      72 36 4.6  70 22 0.8
      82 35 4.6  83 21 0.8
      26 64 9  24 80 4.5  22 97 3
      67 64 7  67 82 4  68 97 3
      20 58 7  4 66 10  -16 74 9  -30 70 3`),
    behind: listLimbs(`
      34 66 8  37 82 4  36 96 2.8
      60 66 6  57 82 3.6  58 96 2.8`),
    marks: [
      {
        by: 0.33,
        limbs: listLimbs(`
      -17 74 7.4  -30 70 2.6
      80 50 4.6  90 52 2.2
      70 60 5  72 68 2`),
      },
      {
        by: -0.42,
        limbs: listLimbs("96.5 51 1.7  98 51.6 1.2"),
      },
    ],
  },
  wolf: {
    coat: lch(0.42, 0.018, 265),
    limbs: listLimbs(`
      24 60 11  42 59 12  60 54 13
      60 52 12  69 36 9  73 25 8
      73 22 7.4  80 11 4.6  85 2 1.8
      67 23 3.4  58 17 0.9
      21 62 9  18 78 4.6  16 97 3.2
      60 62 7.5  62 80 4.2  63 97 3.2
      15 58 5  5 70 5.6  0 86 2`),
    behind: listLimbs(`
      29 66 7.5  31 80 4.2  30 96 3
      54 64 6.5  52 80 3.9  53 96 3`),
  },
  bear: {
    coat: lch(0.36, 0.045, 50),
    limbs: listLimbs(`
      22 46 21  44 42 23  62 44 20
      70 44 15  80 47 12
      84 50 8.6  93 54 5
      71 31 4.2  73 31 4.2
      18 60 13  16 80 9  19 93 7
      62 60 12  64 80 8.6  67 93 7`),
    behind: listLimbs(`
      32 62 11  36 80 8  38 92 6.6
      52 62 11  49 80 8  51 92 6.6`),
    marks: [
      {
        by: 0.14,
        limbs: listLimbs("90 54 4.6  95 55 3.6"),
      },
    ],
  },
  cat: {
    coat: lch(0.28, 0.018, 290),
    limbs: listLimbs(`
      44 84 16  47 66 15  53 48 11
      54 30 14.5  57 30 14
      45 20 5  43 5 0.9
      65 20 5  68 5 0.9
      56 62 8  60 80 5.4  61 96 4
      34 90 9  48 95 5
      30 92 4.6  14 94 4.2  4 84 3.8  6 70 3`),
    behind: listLimbs("50 66 7  52 84 5  53 96 4"),
  },
  dog: {
    coat: lch(0.6, 0.09, 65),
    limbs: listLimbs(`
      26 58 13  46 58 13  64 56 14
      66 50 11  74 36 9
      76 29 10.5  86 33 6.6  94 36 5
      70 25 4.4  65 36 4  66 44 2
      22 62 10  20 80 5  20 96 4
      64 64 8.5  66 82 4.8  67 96 4
      15 52 4  4 40 3.2  0 26 1.8`),
    behind: listLimbs(`
      32 66 8  34 82 4.6  33 95 3.8
      57 66 7  55 82 4.4  56 95 3.8`),
  },
  rabbit: {
    coat: lch(0.68, 0.045, 65),
    limbs: listLimbs(`
      30 76 20  46 74 19  58 68 13
      66 52 13  72 54 11
      62 42 4.6  55 22 4.4  52 6 2
      68 41 4.6  66 20 4.4  67 3 2
      58 76 7  62 90 4.4  68 96 4
      28 88 10  40 95 5.4  48 96 4`),
    marks: [
      {
        by: 0.26,
        limbs: listLimbs("9 78 7.5  10 78 7.5"),
      },
    ],
  },
  person: {
    coat: lch(0.33, 0.05, 275),
    limbs: listLimbs(`
      50 10 6.4  50.4 9 6.4
      50 22 8  50 38 8.4  50 50 8
      46 52 5.6  44 74 4  42 97 3.2
      54 52 5.6  57 74 4  59 97 3.2
      43 23 4  38 38 3  40 52 2.4
      57 23 4  68 27 2.8  76 17 2.2`),
    marks: [
      {
        by: 0.3,
        limbs: listLimbs("45 17 2  50 19 2.6  55 17 2"),
      },
    ],
  },
} satisfies Record<string, Body>;

export type AnimalKind = keyof typeof bodies;
