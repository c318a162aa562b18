/**
 * Rewrites a prompt by rules, without learned weights: keeps every word that was written and adds
 * what a camera operator would ask for next (shot, light, lens, and for video movement), each only
 * when the prompt does not speak of it yet. Equal input gives equal output.
 */
interface Aspect {
  /** Matches words that show that the prompt already covers this aspect. */
  readonly spokenOf: RegExp;
  readonly phrases: readonly string[];
}

const shot: Aspect = {
  spokenOf: /\b(shot|close-?up|wide|portrait|aerial|view|angle|frame|framing|panorama|macro)\b/i,
  phrases: [
    "a wide establishing shot",
    "a medium shot at eye level",
    "a low angle that gives the subject weight",
    "a close-up with room to breathe",
    "a slightly raised three-quarter view",
  ],
};

const light: Aspect = {
  spokenOf:
    /\b(light|lit|sun|dawn|dusk|sunset|sunrise|night|noon|neon|moon|glow|shadow|dark)\w*\b/i,
  phrases: [
    "soft light from a window on the left",
    "low golden light with long shadows",
    "even overcast light with gentle contrast",
    "a cool rim light against a darker ground",
    "warm practical lights in a dim surrounding",
  ],
};

const lens: Aspect = {
  spokenOf: /\b(lens|mm|bokeh|depth of field|focus|fisheye|telephoto|film|grain)\b/i,
  phrases: [
    "a 35 mm lens with deep focus",
    "an 85 mm lens with a shallow depth of field",
    "a 50 mm lens with natural perspective",
    "a 24 mm lens close to the ground",
  ],
};

const movement: Aspect = {
  spokenOf:
    /\b(pan|tilt|dolly|zoom|orbit|track|crane|static|handheld|push|pull|mov(e|ing)|motion)\w*/i,
  phrases: [
    "the camera pushes in slowly",
    "the camera glides sideways at a steady pace",
    "the camera rises and reveals the surroundings",
    "the camera holds still while the subject moves",
    "a slow orbit around the subject",
  ],
};

const palette: Aspect = {
  spokenOf: /\b(colou?rs?|palette|pastel|monochrome|black and white|sepia|vivid|muted|tones?)\b/i,
  phrases: [
    "a restrained palette with one strong accent",
    "natural colours with clean whites",
    "muted earth tones",
    "complementary teal and amber",
  ],
};

const aspects = {
  image: [shot, light, lens, palette],
  video: [shot, movement, light, lens],
} as const;

/** Adds phrases for aspects the prompt lacks; `seed` chooses among equally good phrases. */
export function rewriteForImage(
  prompt: string,
  target: keyof typeof aspects,
  seed: number,
): string {
  const start = prompt.trim().replace(/[\s.,;]+$/, "");
  if (start === "") return prompt;
  const added = aspects[target].flatMap(({ spokenOf, phrases }, index) =>
    spokenOf.test(start) ? [] : [phrases[mixSeed(start, seed + index) % phrases.length] ?? ""],
  );
  return added.length === 0 ? prompt : `${start}, ${added.join(", ")}.`;
}

export interface VideoContext {
  readonly durationSeconds: number | undefined;
  readonly aspectRatio: string | undefined;
  readonly hasFirstFrame: boolean;
}

/** Rewrites a prompt for a video model, by what is known of the clip; at most `max` characters. */
export function rewriteForVideo(prompt: string, context: VideoContext, max: number): string {
  const { durationSeconds, aspectRatio, hasFirstFrame } = context;
  const parts = [rewriteForImage(prompt, "video", 0).replace(/\.$/, "")];
  if (hasFirstFrame) parts.push("continuing smoothly from the first frame");
  if (durationSeconds !== undefined)
    parts.push(
      durationSeconds <= 4 ? "one single action" : "an action with a clear beginning and end",
    );
  if (aspectRatio !== undefined)
    parts.push(
      isUpright(aspectRatio) ? "composed for an upright frame" : "composed for a wide frame",
    );
  const text = `${parts.join(", ")}.`;
  // The customer's text is never cut to make room for added phrases.
  return [...text].length <= max ? text : prompt;
}

function isUpright(ratio: string): boolean {
  const [across = 1, down = 1] = ratio.split(":").map(Number);
  return down > across;
}

/** FNV-1a, so that the same prompt and seed always get the same phrases. */
function mixSeed(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash >>> 8;
}
