/** `klieg objects move`: moves a stopped service's objects from the disk to a bucket, or back. */
import { parseArgs } from "node:util";
import { count } from "../../actors/count.ts";
import { type Command, type MovedObjects, type Terminal, UsageError } from "../command.ts";

const linesEvery = 1_000;

export const objectsMove: Command = {
  name: "objects move",
  usage: "--to s3|disk [--remove-source]",
  summary: "Move the stopped service's objects to the bucket of KLIEG_S3_*, or back.",
  options: [
    "--to PLACE       s3 or disk",
    "--remove-source  remove them where they were, once all are moved",
  ],
  async run(args, { moveObjects, terminal }) {
    const { values } = parseArgs({
      args: [...args],
      options: { to: { type: "string" }, "remove-source": { type: "boolean", default: false } },
    });
    const { to } = values;
    if (to !== "s3" && to !== "disk")
      throw new UsageError("Name the destination: --to s3 or --to disk.");
    const moved = await moveObjects(to, values["remove-source"], (now) => show(terminal, now));
    if (terminal.isInteractive) terminal.redraw("");
    const place = to === "s3" ? "in the bucket" : "on the local disk";
    if (moved === undefined) terminal.say(`The objects are already ${place}.\n`);
    else terminal.print(`${summary(moved)}; all objects are ${place} and verified.`);
    if (values["remove-source"]) terminal.say("The originals were removed.\n");
  },
};

function show(terminal: Terminal, moved: MovedObjects): void {
  if (terminal.isInteractive) terminal.redraw(summary(moved));
  else if ((moved.sent + moved.found) % linesEvery === 0) terminal.say(`${summary(moved)}\n`);
}

function summary({ sent, found, bytes }: MovedObjects): string {
  const before = found === 0 ? "" : `, ${found} were there before`;
  return `${count(sent, "object")} moved${before} (${(bytes / 1e6).toFixed(1)} MB)`;
}
