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
    "2. Download the media next to sequence.xml (see below).",
    "3. Premiere Pro: File, Import, sequence.xml.",
    "   DaVinci Resolve: File, Import, Timeline, sequence.xml.",
  ],
  aejsx: [
    "1. Unpack everything into one folder.",
    "2. Download the media next to build.jsx (see below).",
    "3. After Effects: File, Scripts, Run Script File, build.jsx.",
  ],
};

const everywhere = [
  "- Anything the page draws with HTML, CSS and scripts (GSAP and other animation) is not exported;",
  "  markers show its name and time.",
  "  A picture is placed where the page shows it halfway through its time.",
  "- CSS blend modes, filters, shadows, rounded corners and shapes are not exported.",
  "- Grades are files in luts/; apply them by hand.",
  "- The audio mix of a render (roles, ducking, loudness, overall fades) is not in the timeline.",
];

const fidelity: Readonly<Record<ExportFormat, readonly string[]>> = {
  fcpxml: [
    ...everywhere,
    "- Masks other than upright rectangles are not exported; rectangles become crops.",
    "- Added texts are pictures (text/), so their wording cannot be edited.",
    "- A picture held past the end of its source ends with the source.",
    "- If width and height are scaled differently, the scale of the width is used.",
  ],
  aejsx: [
    ...everywhere,
    "- Added texts are text layers and use the fonts of your machine.",
    "- A cross dissolve becomes a fade-in of the later layer over the earlier one.",
  ],
};

function mediaLines({ media }: EditList): readonly string[] {
  return [
    "MEDIA",
    "",
    "manifest.json has a link for each file, valid for one hour. Save each file under its path:",
    "",
    ...media.map(({ path, ref }) => `  ${path}  (${plain(ref)})`),
    "",
    "Or use the command line: klieg export <composition> --format <format> -o <file> --with-media",
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
