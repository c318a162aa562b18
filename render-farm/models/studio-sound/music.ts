import { createSeededRandom, hashText, type Random } from "../studio-image/seeded-random.ts";
import {
  chooseGenre,
  chooseLead,
  chooseMode,
  chooseTempo,
  type Genre,
  modes,
  progressions,
} from "./genres.ts";
import { type DrumName, drums, type InstrumentName, instruments } from "./instruments.ts";
import { addRoom } from "./room.ts";
import { add, addTrack, fade, level, newTrack, type Track } from "./track.ts";

/**
 * A short piece: the prompt's words choose the genre, the seed everything else. Four-bar phrases of
 * one progression; a melody of a motif, its repeat, a contrast and its return; instruments enter
 * one after another and leave at the end, where the tonic rings out.
 */
export interface Score {
  readonly genre: Genre;
  readonly lead: InstrumentName;
  readonly secondsPerBeat: number;
  readonly bars: number;
  readonly tonic: number;
  readonly scale: readonly number[];
  readonly progression: readonly number[];
  readonly motif: readonly MotifNote[];
}

interface MotifNote {
  /** Start in beats, from the beginning of the two bars. */
  readonly at: number;
  readonly beats: number;
  /** Steps of the scale above the chord's root. */
  readonly step: number;
}

const beatsPerBar = 4;

export function composeScore(prompt: string, seconds: number, seed: number): Score {
  const random = createSeededRandom(hashText(`${prompt.toLowerCase().trim()}:${seed}`));
  const dice = random.fork("score");
  const genre = chooseGenre(prompt, dice);
  const mode = chooseMode(prompt, genre, dice);
  const isDark = modes[mode][2] === 3;
  const list = progressions[isDark ? "dark" : "bright"];
  const barSeconds = (60 / chooseTempo(prompt, genre, dice)) * beatsPerBar;
  const tail = Math.min(1.5, seconds * 0.15);
  // The tempo is adjusted a little, so that whole bars fill the piece.
  const bars = Math.max(1, Math.round((seconds - tail) / barSeconds));
  return {
    genre,
    lead: chooseLead(prompt, genre),
    secondsPerBeat: (seconds - tail) / (bars * beatsPerBar),
    bars,
    tonic: 48 + dice.index(9) - 3,
    scale: modes[mode],
    progression: list[dice.index(list.length)] ?? [0, 3, 4, 0],
    motif: composeMotif(random.fork("motif")),
  };
}

/** Composes two bars of rhythm and contour; strong beats fall on notes of the chord. */
function composeMotif(dice: Random): readonly MotifNote[] {
  const rhythms: readonly [readonly number[], ...(readonly number[])[]] = [
    [1, 1, 2, 1, 1, 2],
    [1.5, 0.5, 2, 1.5, 0.5, 2],
    [0.5, 0.5, 1, 2, 0.5, 0.5, 1, 2],
    [3, 1, 2, 2],
    [1, 0.5, 0.5, 2, 1, 1, 2],
    [2, 1, 1, 3, 1],
  ];
  const notes: MotifNote[] = [];
  let at = 0;
  let step = dice.pick([0, 2, 4]);
  for (const beats of dice.pick(rhythms)) {
    const isStrong = at % 2 === 0;
    step += dice.pick([-2, -1, -1, 1, 1, 2]);
    if (isStrong) step = nearestChordStep(step);
    step = Math.min(8, Math.max(-2, step));
    notes.push({ at, beats, step });
    at += beats;
  }
  return notes;
}

function nearestChordStep(step: number): number {
  const chord = [-3, 0, 2, 4, 7];
  return chord.reduce((best, one) => (Math.abs(one - step) < Math.abs(best - step) ? one : best));
}

/** Yields between parts, so that the caller may let other work run; returns the finished track. */
export function* playMusic(
  prompt: string,
  seconds: number,
  seed: number,
): Generator<number, Track, undefined> {
  const score = composeScore(prompt, seconds, seed);
  const random = createSeededRandom(hashText(`${prompt.toLowerCase().trim()}:${seed}`));
  const dry = newTrack(seconds);
  const wetSend = newTrack(seconds);
  const parts = [playChords, playArpeggio, playBass, playLead, playDrums];
  for (const [i, part] of parts.entries()) {
    part(score, { dry, wetSend, dice: random.fork(`part ${i}`) });
    yield (i + 1) / (parts.length + 2);
  }
  addTrack(dry, addRoom(wetSend, score.genre.room), 0.5 + score.genre.room * 0.5);
  yield 0.9;
  level(dry, 0.16);
  fade(dry, 0.02, Math.min(2.2, seconds * 0.25));
  return dry;
}

interface Stand {
  readonly dry: Track;
  readonly wetSend: Track;
  readonly dice: Random;
}

interface Note {
  readonly name: InstrumentName;
  /** MIDI number. */
  readonly pitch: number;
  readonly at: number;
  readonly seconds: number;
  readonly force: number;
  readonly gain: number;
  readonly pan: number;
}

function play({ dry, wetSend, dice }: Stand, note: Note, room: number): void {
  const hertz = 440 * 2 ** ((note.pitch - 69) / 12);
  const sound = instruments[note.name](dice, hertz, note.seconds, note.force);
  const late = note.at + dice.between(0, 0.012);
  add(dry, sound, late, note.gain, note.pan);
  add(wetSend, sound, late, note.gain * (0.25 + room * 0.6), note.pan * 0.6);
}

/** Returns the pitch that lies `step` steps of the scale above the tonic. */
function computePitch({ tonic, scale }: Score, step: number): number {
  const octave = Math.floor(step / scale.length);
  return tonic + 12 * octave + (scale[step - octave * scale.length] ?? 0);
}

function findRoot({ progression, bars }: Score, bar: number): number {
  // The last bar returns to the tonic.
  if (bar >= bars - 1 && bars > 2) return 0;
  return progression[bar % progression.length] ?? 0;
}

/** Density of the arrangement, 0 to 1: it starts sparse, fills up, and thins out at the end. */
function fullness({ bars }: Score, bar: number): number {
  if (bars < 6) return 1;
  if (bar < 2) return 0.35;
  if (bar >= bars - 2) return 0.4;
  return bar < 4 ? 0.7 : 1;
}

function playChords(score: Score, stand: Stand): void {
  const { genre, secondsPerBeat } = score;
  const isSustained = ["pad", "strings", "choir"].includes(genre.chords);
  const bar = secondsPerBeat * beatsPerBar;
  for (let i = 0; i < score.bars; i++) {
    const root = findRoot(score, i);
    const isLast = i === score.bars - 1;
    const steps =
      genre.room > 0.5 ? [root - 7, root, root + 2, root + 4] : [root, root + 2, root + 4];
    const strokes = isSustained || isLast ? [0] : genre.swing > 0.15 ? [0, 1.5, 3] : [0, 2];
    for (const [j, stroke] of strokes.entries())
      for (const [k, step] of steps.entries())
        play(
          stand,
          {
            name: genre.chords,
            pitch: computePitch(score, step) + (computePitch(score, step) < 52 ? 12 : 0),
            at: i * bar + stroke * secondsPerBeat + (isSustained ? 0 : k * 0.018),
            seconds: isLast ? bar + 1 : isSustained ? bar : secondsPerBeat * 1.7,
            force: 0.42 + (j === 0 ? 0.12 : 0),
            gain: (isSustained ? 0.3 : 0.34) * (0.75 + 0.25 * fullness(score, i)),
            pan: (k - 1.5) * 0.28,
          },
          genre.room,
        );
  }
}

function playArpeggio(score: Score, stand: Stand): void {
  const { genre, secondsPerBeat } = score;
  const name = genre.arpeggio;
  if (name === undefined) return;
  const isSparse = genre.room > 0.85;
  const orders = stand.dice.pick([
    [0, 2, 4, 7, 4, 2, 0, 4],
    [0, 4, 2, 4, 7, 4, 2, 4],
    [7, 4, 2, 0, 2, 4, 7, 9],
  ]);
  const stride = isSparse ? 2 : 1;
  for (let i = 0; i < score.bars - 1; i++) {
    if (fullness(score, i) < 0.6 && i > 0 && i < score.bars - 2) continue;
    for (let eighth = 0; eighth < 8; eighth += stride) {
      const isSkipped = stand.dice.chance(isSparse ? 0.4 : 0.1);
      if (isSkipped) continue;
      const late = eighth % 2 === 1 ? genre.swing * 0.5 : 0;
      play(
        stand,
        {
          name,
          pitch: computePitch(score, findRoot(score, i) + (orders[eighth] ?? 0)) + 12,
          at: (i * beatsPerBar + eighth / 2 + late) * secondsPerBeat,
          seconds: secondsPerBeat * (name === "strings" ? 0.4 : 0.5),
          force: 0.3 + (eighth % 4 === 0 ? 0.2 : 0),
          gain: name === "square" || name === "synth" ? 0.12 : 0.2,
          pan: eighth % 2 === 0 ? -0.45 : 0.45,
        },
        genre.room,
      );
    }
  }
}

function playBass(score: Score, stand: Stand): void {
  const { genre, secondsPerBeat } = score;
  if (!genre.hasBass) return;
  const isDriving = genre.tempo[0] > 90 && genre.beat.kick !== undefined;
  const strokes = isDriving ? [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5] : [0, 2, 3.5];
  for (let i = 0; i < score.bars; i++) {
    if (fullness(score, i) < 0.4) continue;
    const isLast = i === score.bars - 1;
    for (const stroke of isLast ? [0] : strokes) {
      const root = findRoot(score, i) + (stroke >= 3.5 && stand.dice.chance(0.4) ? 4 : 0);
      let pitch = computePitch(score, root);
      while (pitch > 43) pitch -= 12;
      play(
        stand,
        {
          name: "bass",
          pitch,
          at: (i * beatsPerBar + stroke) * secondsPerBeat,
          seconds: secondsPerBeat * (isLast ? 4 : isDriving ? 0.42 : 1.3),
          force: 0.6,
          gain: 0.42,
          pan: 0,
        },
        0,
      );
    }
  }
}

/** Plays phrases of two bars: motif, motif on the next chords, its mirror, motif again. */
function playLead(score: Score, stand: Stand): void {
  const { genre, secondsPerBeat, motif, bars } = score;
  const from = bars >= 6 ? 2 : 0;
  for (let bar = from; bar + 1 < bars; bar += 2) {
    const phrase = ((bar - from) / 2) % 4;
    for (const { at, beats, step } of motif) {
      const root = findRoot(score, bar + Math.floor(at / beatsPerBar));
      const own = phrase === 2 ? 4 - step : phrase === 3 ? step + (at > 5 ? 2 : 0) : step;
      if (phrase === 1 && stand.dice.chance(0.12)) continue;
      const pitch = computePitch(score, root + own) + 12;
      play(
        stand,
        {
          name: score.lead,
          pitch: pitch > 84 ? pitch - 12 : pitch,
          at: (bar * beatsPerBar + at + (at % 1 === 0.5 ? genre.swing * 0.5 : 0)) * secondsPerBeat,
          seconds: beats * secondsPerBeat * 0.94,
          force: 0.55 + (at % 4 === 0 ? 0.15 : 0),
          gain: score.lead === "square" || score.lead === "synth" ? 0.26 : 0.44,
          pan: 0.12,
        },
        Math.max(0.35, genre.room),
      );
    }
  }
}

function playDrums(score: Score, { dry, wetSend, dice }: Stand): void {
  const { genre, secondsPerBeat, bars } = score;
  for (const [name, pattern] of Object.entries(genre.beat) as [DrumName, string][]) {
    const pan = name === "hat" ? 0.3 : name === "openHat" || name === "brush" ? -0.25 : 0;
    for (let bar = 0; bar < bars - 1; bar++) {
      if (fullness(score, bar) < 0.6) continue;
      for (const [step, digit] of [...pattern].entries()) {
        if (digit === ".") continue;
        const force = (Number(digit) / 9) * dice.between(0.86, 1);
        const late = step % 2 === 1 ? genre.swing * 0.25 : step % 4 === 2 ? genre.swing * 0.5 : 0;
        const at = (bar * beatsPerBar + step / 4 + late) * secondsPerBeat;
        const sound = drums[name](dice, force);
        add(dry, sound, at, 0.52, pan);
        add(wetSend, sound, at, name === "kick" ? 0.03 : 0.12, pan);
      }
    }
  }
}
