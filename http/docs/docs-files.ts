import { StaticFiles } from "../look/static-files.ts";

export const docsFilesPath = "/docs/files/";

/** The scripts are bundled by the build. */
export const docsFiles = new StaticFiles(new URL("./", import.meta.url), docsFilesPath, [
  "docs.css",
  "search.bundle.js",
]);
