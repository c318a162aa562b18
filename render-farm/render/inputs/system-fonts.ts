import { stat } from "node:fs/promises";

const folders = ["/usr/share/fonts", "/usr/local/share/fonts", "/var/cache/fontconfig"];

/** Time in milliseconds at which fonts were last added or removed; 0 where there are none. */
export async function systemFontsTime(): Promise<number> {
  const times = folders.map((folder) =>
    stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}
