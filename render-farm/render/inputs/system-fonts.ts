import { stat } from "node:fs/promises";

const folders = ["/usr/share/fonts", "/usr/local/share/fonts", "/var/cache/fontconfig"];

/** When fonts were last put in or taken out of this machine, in milliseconds; 0 where none are. */
export async function systemFontsTime(): Promise<number> {
  const times = folders.map((folder) =>
    stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}
