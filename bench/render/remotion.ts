import { cp, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { installPeer } from "../peers/packages.ts";
import { runCommand } from "../service/command.ts";
import type { OpenPeer } from "./renderers.ts";

/** Remotion's own command line with its defaults, on the same pictures written in React. */
export const openRemotion: OpenPeer = async (setting) => {
  const { tools, media, environment } = setting;
  const folder = await installPeer("remotion", setting);
  const shared = join(folder, "public");
  await mkdir(shared, { recursive: true });
  for (const file of media) await cp(file, join(shared, basename(file)));
  const program = join(folder, "node_modules/@remotion/cli/remotion-cli.js");
  return [
    {
      name: "remotion",
      render: ({ name }, _, output) =>
        runCommand({
          path: process.execPath,
          args: [
            ...[program, "render", "index.jsx", name, output, "--log=error"],
            `--browser-executable=${tools.chromium}`,
          ],
          cwd: folder,
          env: { ...environment, DO_NOT_TRACK: "1" },
        }),
    },
  ];
};
