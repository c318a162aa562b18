import { createSeededRandom, hashText } from "../studio-image/seeded-random.ts";
import {
  birds,
  crickets,
  drip,
  explosion,
  fire,
  footsteps,
  heartbeat,
  type Maker,
  rain,
  sea,
  stream,
  thunder,
  wind,
} from "./effect-nature.ts";
import {
  alarm,
  applause,
  bell,
  chime,
  clang,
  click,
  clock,
  coin,
  drumroll,
  engine,
  glass,
  knock,
  laser,
  siren,
  typing,
  whoosh,
} from "./effect-things.ts";
import { addRoom } from "./room.ts";
import { addTrack, fade, level, newTrack, type Track } from "./track.ts";

/**
 * Sound effects: the prompt's words choose which, and the seed varies them. Continuous sounds
 * (rain, wind, engine) fill the length; impacts (bell, door, step) occur once or repeatedly.
 */

const makers: readonly (readonly [RegExp, Maker])[] = [
  [/\b(rain\w*|drizzle|downpour|storm\w*|shower)\b/, rain],
  [/\b(thunder\w*|storm\w*|lightning)\b/, thunder],
  [/\b(wind\w*|breeze|gale|blizzard|howling|gusts?|desert|mountains?|snow\w*|arctic)\b/, wind],
  [/\b(sea|ocean|waves?|surf|beach|shore|coast\w*|harbou?r|sailing|ship|boat)\b/, sea],
  [
    /\b(stream|river|brook|creek|waterfall|fountain|underwater|reef|bubbl\w*|aquarium|lake)\b/,
    stream,
  ],
  [/\b(fire\w*|campfire|fireplace|flames?|burning|crackl\w*|bonfire)\b/, fire],
  [/\b(explo\w*|blast|bomb|boom|detonat\w*|cannon)\b/, explosion],
  [/\b(footsteps?|walking|steps|running|walk)\b/, footsteps],
  [/\b(clicks?|button|switch|tap|mouse|ui|interface)\b/, click],
  [/\b(whoosh\w*|swoosh\w*|swish|transition|fly-?by|sweep)\b/, whoosh],
  [/\b(laser\w*|zap|blaster|phaser|sci-?fi|ray ?gun|pew)\b/, laser],
  [/\b(bells?|church|gong|toll\w*)\b/, bell],
  [/\b(chimes?|sparkl\w*|magic\w*|fairy|twinkl\w*|notification|glitter|shimmer)\b/, chime],
  [/\b(siren|police|ambulance)\b/, siren],
  [/\b(alarm|beep\w*|alert|timer|warning)\b/, alarm],
  [/\b(birds?|birdsong|chirp\w*|meadow|garden|forest|spring|morning|park|jungle)\b/, birds],
  [/\b(crickets?|cicadas?|night|summer evening|insects?)\b/, crickets],
  [/\b(heart\w*|pulse)\b/, heartbeat],
  [/\b(knock\w*|door)\b/, knock],
  [/\b(engine|car|motor\w*|truck|machine\w*|traffic|city|street|train|plane)\b/, engine],
  [/\b(glass|shatter\w*|smash\w*|breaking)\b/, glass],
  [/\b(coins?|pickup|power-?up|collect|reward|level up|8-?bit)\b/, coin],
  [/\b(typing|keyboard|typewriter|keys)\b/, typing],
  [/\b(applause|clapping|crowd|audience|cheer\w*)\b/, applause],
  [/\b(clock|tick\w*|watch|metronome)\b/, clock],
  [/\b(drip\w*|drops?|cave|leak\w*|droplet)\b/, drip],
  [/\b(sword|metal\w*|clang\w*|anvil|hammer|armou?r|blade)\b/, clang],
  [/\b(drum\w*|roll|suspense)\b/, drumroll],
];

/** Sounds that suit a background when the prompt names none. */
const restful: readonly [Maker, ...Maker[]] = [wind, sea, stream, birds, crickets];
const unnamed: readonly [Maker, ...Maker[]] = [whoosh, chime, wind, click];
const layersMax = 3;

/** Plays the sounds that a prompt names, or one that the seed chooses. */
export function playEffect(prompt: string, seconds: number, seed: number): Track {
  return mix(prompt, seconds, seed, unnamed, 0.22);
}

/** Plays a quiet background for a film of what the prompt describes. */
export function playAmbience(prompt: string, seconds: number, seed: number): Track {
  return mix(prompt, seconds, seed, restful, 0.12);
}

function mix(
  prompt: string,
  seconds: number,
  seed: number,
  others: readonly [Maker, ...Maker[]],
  loudness: number,
): Track {
  const words = prompt.toLowerCase();
  const random = createSeededRandom(hashText(`${words.trim()}:${seed}`));
  const told = makers.filter(([pattern]) => pattern.test(words)).map(([, maker]) => maker);
  const chosen = told.length > 0 ? told.slice(0, layersMax) : [random.fork("choice").pick(others)];
  const track = newTrack(seconds);
  for (const [i, make] of chosen.entries()) {
    const layer = newTrack(seconds);
    make(layer, seconds, random.fork(`layer ${i}`));
    level(layer, 0.2);
    addTrack(track, layer, i === 0 ? 1 : 0.6);
  }
  const isFar = /\b(distant|far|echo\w*|cave|cathedral|hall|reverb)\b/.test(words);
  addTrack(track, addRoom(track, isFar ? 0.9 : 0.3), isFar ? 1.2 : 0.35);
  level(track, loudness, loudness * 0.38);
  fade(track, 0.01, Math.min(0.5, seconds * 0.2));
  return track;
}
