/** `klieg generate video`, `speech`, `music`, `sound` and `3d`: what each asks and where. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument, type Session, UsageError, wholeNumber } from "./command.ts";
import { deliver } from "./delivery.ts";
import { checkOutput } from "./output-file.ts";
import { uploaded } from "./upload.ts";

type Values = Readonly<Record<string, string | boolean | undefined>>;

interface Medium {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly path: string;
  /** Options that go to the service as text or as whole numbers, with their help. */
  readonly texts: Readonly<Record<string, string>>;
  readonly numbers: Readonly<Record<string, string>>;
  readonly request: (subject: readonly string[], session: Session) => Promise<object>;
}

const helpColumn = 28;

const common = {
  model: "catalogue id or alias (default)",
  seed: "the same seed and words give the same result",
};

const media: readonly Medium[] = [
  {
    name: "generate video",
    usage: '"<prompt>" [options]',
    summary: "Make a video and save it.",
    path: "/generate/video",
    texts: {
      "aspect-ratio": "for example 16:9, 9:16",
      resolution: "for example 480p, 720p, 1080p",
      "camera-motion": "one of the model's list",
    },
    numbers: { "duration-seconds": "length", fps: "frames a second" },
    request: async (subject) => ({ prompt: onlyArgument(subject, "the prompt") }),
  },
  {
    name: "generate speech",
    usage: '"<text>" [options]',
    summary: "Speak a text and save it.",
    path: "/generate/audio",
    texts: { voice: "one of the model's voices", language: "for example en, de" },
    numbers: {},
    request: async (subject) => ({
      model: "studio-voice",
      task: "speech",
      text: onlyArgument(subject, "the text"),
    }),
  },
  {
    name: "generate music",
    usage: '"<prompt>" [options]',
    summary: "Make music and save it.",
    path: "/generate/audio",
    texts: {},
    numbers: { "duration-seconds": "length" },
    request: async (subject) => ({
      model: "studio-music",
      task: "music",
      prompt: onlyArgument(subject, "the prompt"),
    }),
  },
  {
    name: "generate sound",
    usage: '"<prompt>" [options]',
    summary: "Make a sound effect and save it.",
    path: "/generate/audio",
    texts: {},
    numbers: { "duration-seconds": "length" },
    request: async (subject) => ({
      model: "studio-sound",
      task: "sound_effect",
      prompt: onlyArgument(subject, "the prompt"),
    }),
  },
  {
    name: "generate 3d",
    usage: "<photo> [<photo> ...] [options]",
    summary: "Make a 3D model from photos and save it.",
    path: "/generate/3d",
    texts: {},
    numbers: { "target-polycount": "about how many triangles" },
    request: async (subject, session) => {
      if (subject.length === 0) throw new UsageError("Name at least one photo.");
      const ids: string[] = [];
      for (const photo of subject) ids.push((await uploaded(photo, session)).id);
      return { image_asset_ids: ids };
    },
  },
];

export const generateMedia: readonly Command[] = media.map((medium) => ({
  name: medium.name,
  usage: medium.usage,
  summary: medium.summary,
  options: [
    line("-o, --output FILE", "where to save it (<job id> and the type's extension)"),
    ...Object.entries({ ...common, ...medium.texts, ...medium.numbers }).map(([name, help]) =>
      line(`--${name} VALUE`, help),
    ),
    line("--json", "print the finished job and the files as JSON"),
  ],
  run: (args, session) => run(medium, args, session),
}));

function line(option: string, help: string): string {
  return `${option.padEnd(helpColumn)}${help}`;
}

async function run(medium: Medium, args: readonly string[], session: Session): Promise<void> {
  const names = Object.keys({ ...common, ...medium.texts, ...medium.numbers });
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
      output: { type: "string", short: "o" },
      json: { type: "boolean", default: false },
    },
  });
  const given: Values = values;
  await checkOutput(values.output ?? "result");
  const subject = await medium.request(positionals, session);
  const asked = { model: "default", ...subject, ...fieldsOf(medium, given) };
  await deliver(session, medium.path, asked, values);
}

/** The service's names have underscores where options have hyphens. */
function fieldsOf({ texts, numbers }: Medium, values: Values): object {
  const fields: Record<string, unknown> = {};
  for (const name of ["model", ...Object.keys(texts)])
    if (values[name] !== undefined) fields[name.replaceAll("-", "_")] = values[name];
  for (const name of ["seed", ...Object.keys(numbers)]) {
    const value = values[name];
    if (typeof value === "string")
      fields[name.replaceAll("-", "_")] = wholeNumber(value, `--${name}`);
  }
  return fields;
}
