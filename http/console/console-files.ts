import { StaticFiles } from "../look/static-files.ts";

export const consoleFilesPath = "/console-files/";

/** What the build made of the folder `console`: scripts in pieces, and the stylesheets. */
export const consoleFiles = new StaticFiles(
  new URL("../../console/public/", import.meta.url),
  consoleFilesPath,
  "hashed",
);
