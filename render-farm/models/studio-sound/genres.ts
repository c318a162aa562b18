import type { Random } from "../studio-image/seeded-random.ts";
import type { DrumName, InstrumentName } from "./instruments.ts";

/** A style that the prompt's words choose: tempo, mode, chords, instruments, drums, room. */
export interface Genre {
  readonly words: RegExp;
  readonly tempo: readonly [slowest: number, fastest: number];
  readonly modes: readonly [ModeName, ...ModeName[]];
  readonly chords: InstrumentName;
  readonly arpeggio: InstrumentName | undefined;
  readonly lead: InstrumentName;
  readonly hasBass: boolean;
  readonly beat: Beat;
  /** Amount of reverberation, from 0 (dry) to 1 (a cathedral). */
  readonly room: number;
  /** Amount of swing, from 0 (straight) to 0.33 (triplets). */
  readonly swing: number;
}

/** Sixteen steps a bar; a digit is the force in ninths, a dot a rest. */
export type Beat = Partial<Readonly<Record<DrumName, string>>>;

export const modes = {
  major: [0, 2, 4, 5, 7, 9, 11],
  lydian: [0, 2, 4, 6, 7, 9, 11],
  mixolydian: [0, 2, 4, 5, 7, 9, 10],
  dorian: [0, 2, 3, 5, 7, 9, 10],
  minor: [0, 2, 3, 5, 7, 8, 10],
  harmonic: [0, 2, 3, 5, 7, 8, 11],
} as const;
export type ModeName = keyof typeof modes;

/** Chord roots as degrees of the scale, counted from 0; each progression has four bars. */
export const progressions: Readonly<Record<"bright" | "dark", readonly (readonly number[])[]>> = {
  bright: [
    [0, 4, 5, 3],
    [0, 5, 3, 4],
    [0, 3, 5, 4],
    [0, 2, 3, 4],
    [3, 0, 4, 5],
    [0, 3, 1, 4],
  ],
  dark: [
    [0, 5, 2, 6],
    [0, 3, 5, 6],
    [0, 6, 5, 6],
    [0, 5, 3, 4],
    [0, 2, 6, 3],
  ],
};

const genres: readonly Genre[] = [
  {
    words: /\b(ambient|meditat\w*|drone|space|floating|sleep|dream\w*|ethereal|spa|yoga)\b/,
    tempo: [56, 68],
    modes: ["lydian", "major", "dorian"],
    chords: "pad",
    arpeggio: "bell",
    lead: "flute",
    hasBass: false,
    beat: {},
    room: 0.9,
    swing: 0,
  },
  {
    words: /\b(lo-?fi|chill\w*|study|relax\w*|coffee|mellow|hip-?hop)\b/,
    tempo: [72, 86],
    modes: ["dorian", "major", "minor"],
    chords: "piano",
    arpeggio: undefined,
    lead: "guitar",
    hasBass: true,
    beat: { kick: "9.....6.9.......", snare: "....7.......7...", hat: "4.5.4.5.4.5.4.53" },
    room: 0.35,
    swing: 0.2,
  },
  {
    words: /\b(cinematic|epic|trailer|heroic|battle|war|orchestra\w*|adventure|triumph\w*|film)\b/,
    tempo: [84, 104],
    modes: ["minor", "harmonic", "dorian"],
    chords: "strings",
    arpeggio: "strings",
    lead: "brass",
    hasBass: true,
    beat: { tom: "9..6..9...6.8.6.", kick: "9.......9......." },
    room: 0.8,
    swing: 0,
  },
  {
    words: /\b(electronic|techno|house|dance|edm|club|trance|disco|rave|party)\b/,
    tempo: [118, 128],
    modes: ["minor", "dorian"],
    chords: "synth",
    arpeggio: "synth",
    lead: "square",
    hasBass: true,
    beat: {
      kick: "9...9...9...9...",
      clap: "....8.......8...",
      openHat: "..6...6...6...6.",
      hat: "3.3.3.3.3.3.3.3.",
    },
    room: 0.4,
    swing: 0,
  },
  {
    words: /\b(synthwave|retrowave|80s|neon|cyberpunk|outrun|vaporwave)\b/,
    tempo: [96, 112],
    modes: ["minor", "dorian"],
    chords: "pad",
    arpeggio: "synth",
    lead: "synth",
    hasBass: true,
    beat: { kick: "9...9...9...9...", snare: "....9.......9...", hat: "..5...5...5...5." },
    room: 0.55,
    swing: 0,
  },
  {
    words: /\b(chip-?tune|8-?bit|game|arcade|pixel|video game)\b/,
    tempo: [132, 152],
    modes: ["major", "mixolydian", "minor"],
    chords: "square",
    arpeggio: "square",
    lead: "square",
    hasBass: true,
    beat: { kick: "9...9...9...9...", snare: "....7.......7...", hat: "5.5.5.5.5.5.5.5." },
    room: 0.1,
    swing: 0,
  },
  {
    words: /\b(jazz\w*|swing|lounge|blues|noir|saxophone|bossa)\b/,
    tempo: [92, 116],
    modes: ["dorian", "mixolydian", "major"],
    chords: "piano",
    arpeggio: undefined,
    lead: "guitar",
    hasBass: true,
    beat: { brush: "5...6.4.5...6.4.", openHat: "....5.......5...", kick: "4.......3......." },
    room: 0.4,
    swing: 0.33,
  },
  {
    words: /\b(folk|acoustic|guitar|country|campfire|indie|ukulele|summer)\b/,
    tempo: [88, 112],
    modes: ["major", "mixolydian"],
    chords: "guitar",
    arpeggio: "guitar",
    lead: "flute",
    hasBass: true,
    beat: { kick: "7.......7.......", brush: "....6.......6.4." },
    room: 0.4,
    swing: 0.08,
  },
  {
    words: /\b(happy|upbeat|cheerful|joy\w*|fun|bright|corporate|commercial|advert\w*|pop)\b/,
    tempo: [108, 122],
    modes: ["major", "lydian"],
    chords: "piano",
    arpeggio: "marimba",
    lead: "bell",
    hasBass: true,
    beat: { kick: "9.....4.9.......", clap: "....7.......7...", hat: "..4...4...4...4." },
    room: 0.4,
    swing: 0,
  },
  {
    words: /\b(sacred|choir|church|cathedral|gregorian|angelic|holy|mystic\w*|ancient|monk)\b/,
    tempo: [58, 70],
    modes: ["dorian", "minor", "lydian"],
    chords: "choir",
    arpeggio: "harp",
    lead: "choir",
    hasBass: false,
    beat: {},
    room: 1,
    swing: 0,
  },
  {
    words: /\b(horror|scary|dark|suspense\w*|tense|tension|eerie|ominous|thriller|creepy|storm)\b/,
    tempo: [60, 76],
    modes: ["harmonic", "minor"],
    chords: "strings",
    arpeggio: "bell",
    lead: "choir",
    hasBass: true,
    beat: { tom: "8...............", kick: "........5......." },
    room: 0.9,
    swing: 0,
  },
  {
    words:
      /\b(piano|sad|melanchol\w*|romantic|love|tender|emotional|rain|nostalgi\w*|soft|gentle)\b/,
    tempo: [64, 80],
    modes: ["minor", "major", "dorian"],
    chords: "piano",
    arpeggio: "piano",
    lead: "piano",
    hasBass: false,
    beat: {},
    room: 0.6,
    swing: 0,
  },
  {
    words: /\b(fantasy|fairy|magic\w*|harp|celtic|medieval|forest|elf|elves|lullaby|baby)\b/,
    tempo: [76, 96],
    modes: ["dorian", "mixolydian", "major"],
    chords: "harp",
    arpeggio: "harp",
    lead: "flute",
    hasBass: true,
    beat: { tom: "5.....3.4......." },
    room: 0.7,
    swing: 0.12,
  },
];

/** Chooses the genre that matches most words; the seed chooses when none matches. */
export function chooseGenre(prompt: string, dice: Random): Genre {
  const words = prompt.toLowerCase();
  const scored = genres.map((genre) => {
    const found = words.match(new RegExp(genre.words.source, "g"));
    return { genre, score: new Set(found ?? []).size };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  const fitting = scored.filter(({ score }) => score === best);
  const [first = scored[0], ...others] = fitting;
  const chosen = first === undefined ? undefined : dice.pick([first, ...others]);
  const [fallback] = genres;
  if (chosen === undefined || fallback === undefined) throw new Error("there are genres");
  return best === 0 ? chosen.genre : (first ?? chosen).genre;
}

/** Instruments that the prompt may name; a named one replaces the lead. */
const named: readonly (readonly [RegExp, InstrumentName])[] = [
  [/\bpiano\b/, "piano"],
  [/\bguitar\b/, "guitar"],
  [/\bharp\b/, "harp"],
  [/\b(flute|whistle|recorder)\b/, "flute"],
  [/\b(violin|cello|strings|fiddle)\b/, "strings"],
  [/\b(bells?|glockenspiel|music box|chimes?)\b/, "bell"],
  [/\b(marimba|xylophone|kalimba)\b/, "marimba"],
  [/\b(trumpet|brass|horns?|trombone)\b/, "brass"],
  [/\b(choir|voices|vocals?)\b/, "choir"],
  [/\b(synth\w*|lead)\b/, "synth"],
];

export function chooseLead(prompt: string, genre: Genre): InstrumentName {
  const words = prompt.toLowerCase();
  return named.find(([pattern]) => pattern.test(words))?.[1] ?? genre.lead;
}

export function chooseTempo(prompt: string, genre: Genre, dice: Random): number {
  const words = prompt.toLowerCase();
  const told = /\b(\d{2,3}) ?bpm\b/.exec(words);
  if (told !== null) return Math.min(190, Math.max(45, Number(told[1])));
  const [slowest, fastest] = genre.tempo;
  const own = dice.between(slowest, fastest);
  if (/\b(slow|calm|peaceful|quiet)\b/.test(words)) return own * 0.85;
  return /\b(fast|energetic|driving|frantic|uptempo|intense)\b/.test(words) ? own * 1.14 : own;
}

export function chooseMode(prompt: string, genre: Genre, dice: Random): ModeName {
  const words = prompt.toLowerCase();
  if (/\bmajor\b|\b(happy|joy\w*|cheerful|bright|sunny)\b/.test(words)) return "major";
  if (/\bminor\b|\b(sad|melanchol\w*|dark|tragic|lonely)\b/.test(words)) return "minor";
  return dice.pick(genre.modes);
}
