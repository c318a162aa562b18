import { StaticFiles } from "../look/static-files.ts";

export const consoleFilesPath = "/console-files/";

/** Built files of the folder `console`: scripts in chunks, and the stylesheets. */
export const consoleFiles = new StaticFiles(
  new URL("../../console/public/", import.meta.url),
  consoleFilesPath,
  "hashed",
);
