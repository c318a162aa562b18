import type { ExportFormat } from "../../contract/composition.ts";
import { type EditList, editFps } from "./edit-list.ts";
import { timeText } from "./spans.ts";

/** Writes the text that a person reads first: how to open the export, and what it lacks. */
export function writeReadme(
  list: EditList,
  format: ExportFormat,
  warnings: readonly string[],
): string {
  const { name, width, height, frames, media, luts } = list;
  return [
    `${plain(name)}: ${width} x ${height}, ${timeText(frames)} at ${editFps} frames a second`,
    "",
    "HOW TO OPEN IT",
    "",
    ...opening[format],
    ...(media.length === 0 ? [] : ["", ...mediaLines(list)]),
    ...(luts.length === 0 ? [] : ["", "GRADES", "", ...lutLines(list)]),
    "",
    "WHAT THIS FORMAT DOES NOT HAVE",
    "",
    ...fidelity[format],
    "",
    "WHAT THIS EXPORT LACKS",
    "",
    ...(warnings.length === 0 ? ["Nothing besides."] : warnings.map((one) => `- ${plain(one)}`)),
    "",
  ].join("\n");
}

const opening: Readonly<Record<ExportFormat, readonly string[]>> = {
  fcpxml: [
    "1. Unpack everything into one folder.",
    "2. Download the media into the folder of sequence.xml (see below).",
    "3. Premiere Pro: File, Import, sequence.xml.",
    "   DaVinci Resolve: File, Import, Timeline, sequence.xml.",
  ],
  aejsx: [
    "1. Unpack everything into one folder.",
    "2. Download the media into the folder of build.jsx (see below).",
    "3. After Effects: File, Scripts, Run Script File, build.jsx.",
  ],
};

const everywhere = [
  "- What the page draws by HTML, CSS and scripts (GSAP and other animation) does not map;",
  "  markers name it at its time.",
  "- A picture is placed where it is on the page in the middle of its time.",
  "- Blend modes, filters, shadows, rounded corners and CSS shapes are not carried over.",
  "- Grades are files in luts/, to be applied by hand.",
  "- The mix of a render (roles, ducking, loudness, fades of the whole film) is not in the timeline.",
];

const fidelity: Readonly<Record<ExportFormat, readonly string[]>> = {
  fcpxml: [
    ...everywhere,
    "- Only upright rectangular masks are carried over, as crops.",
    "- Added texts are pictures (text/), so their wording cannot be edited.",
    "- A picture that the film holds after the end of its source ends with the source.",
    "- Where width and height are scaled differently, both are scaled like the width.",
  ],
  aejsx: [
    ...everywhere,
    "- Added texts are text layers; they use the fonts of your machine.",
    "- A cross dissolve becomes a fade of the later layer over the earlier one.",
  ],
};

function mediaLines({ media }: EditList): readonly string[] {
  return [
    "MEDIA",
    "",
    "manifest.json has a link for each file, valid for an hour. Save each under its path:",
    "",
    ...media.map(({ path, ref }) => `  ${path}  (${plain(ref)})`),
    "",
    "The command line downloads them for you: klieg export <composition> --format <format> -o <file> --with-media",
  ];
}

function lutLines({ luts }: EditList): readonly string[] {
  return luts.flatMap(({ path, clips }) => [
    `  ${path}`,
    ...clips.map((clip) => `    ${plain(clip)}`),
  ]);
}

/** Puts a text on one line. */
function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
