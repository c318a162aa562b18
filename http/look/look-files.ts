import { StaticFiles } from "./static-files.ts";

export const lookPath = "/look/";

const folder = new URL("./", import.meta.url);

/** `look.css` for all views, `pages.css` for those of one subject. */
export const lookFiles = new StaticFiles(folder, lookPath, [
  ...["look.css", "pages.css", "front.css", "mark.svg"],
]);
