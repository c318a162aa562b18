/** JSON bodies of the wrong shape, by seed: values swapped, added, repeated, nested, cut. */
import type { Dice } from "./dice.ts";

const values = [
  "null",
  "true",
  "-1",
  "1e400",
  "0.1",
  "9007199254740993",
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '"../../etc/passwd"',
  `"${"x".repeat(20_000)}"`,
  "[]",
  "{}",
  "[[[[[[[[[[]]]]]]]]]]",
  '{"a":{"b":{"c":[null]}}}',
  '"00000000-0000-0000-0000-000000000000"',
  `[${"1,".repeat(5_000)}1]`,
  `{${Array.from({ length: 5_000 }, (_, n) => `"k${n}":${n}`).join(",")}}`,
] as const;

export function hostileBody(dice: Dice, members: readonly string[]): string {
  const parts = members
    .filter(() => dice.number(4) > 0)
    .map((name) => `"${name}":${dice.pick(values)}`);
  if (dice.number(3) === 0) parts.push(`"surprise":${dice.pick(values)}`);
  if (dice.number(6) === 0 && parts.length > 0) parts.push(parts[0] ?? "");
  const text = `{${parts.join(",")}}`;
  switch (dice.number(8)) {
    case 0:
      return text.slice(0, dice.number(text.length));
    case 1:
      return dice.pick(values);
    default:
      return text;
  }
}

/** Paths that take JSON, and members of their bodies. */
export const posts: readonly (readonly [path: string, members: readonly string[]])[] = [
  ["/v1/generate/image", ["model", "prompt", "num_images", "tags", "seed", "provider_options"]],
  ["/v1/generate/video", ["model", "prompt", "duration_seconds", "first_frame_asset_id", "fps"]],
  ["/v1/generate/audio", ["model", "task", "text", "voice", "speed", "language"]],
  ["/v1/generate/set", ["name", "base", "members", "confirmation_token"]],
  ["/v1/jobs/cost", ["kind", "image", "video", "set"]],
  ["/v1/jobs:cancel", ["ids", "filter"]],
  ["/v1/compositions", ["name", "description", "meta", "width", "height", "template"]],
  ["/v1/assets/uploads", ["filename", "mime_type", "size_bytes", "checksum_sha256", "tags"]],
  ["/v1/agent/sessions", ["title", "meta"]],
  ["/v1/tokens", ["name", "scopes", "expires_in_days", "organization_id"]],
  ["/v1/organizations", ["name", "slug"]],
  ["/oauth/token", ["grant_type", "code", "client_id"]],
];
