import { Type } from "../../config/schema.ts";

/** File formats that sound is delivered in. Encoding is bit-exact: equal samples, equal files. */
export const SoundFormat = Type.Enum(["mp3", "wav", "flac", "ogg"]);
export type SoundFormat = "mp3" | "wav" | "flac" | "ogg";

interface Encoding {
  readonly mimeType: string;
  readonly args: readonly string[];
}

export const encodings: Readonly<Record<SoundFormat, Encoding>> = {
  mp3: { mimeType: "audio/mpeg", args: ["-c:a", "libmp3lame", "-b:a", "192k", "-f", "mp3"] },
  wav: { mimeType: "audio/wav", args: ["-c:a", "pcm_s16le", "-f", "wav"] },
  flac: { mimeType: "audio/flac", args: ["-c:a", "flac", "-sample_fmt", "s16", "-f", "flac"] },
  ogg: { mimeType: "audio/ogg", args: ["-c:a", "libvorbis", "-q:a", "6", "-f", "ogg"] },
};

/** Leaves out time stamps, the encoder's name and random stream numbers. */
export const bitExact = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:a", "+bitexact"];
