import { StaticFiles } from "./static-files.ts";

export const lookPath = "/look/";

const folder = new URL("./", import.meta.url);

/** Stylesheets: `look.css` for all views, `pages.css` for pages that show a single subject. */
export const lookFiles = new StaticFiles(folder, lookPath, [
  ...["look.css", "pages.css", "front.css", "mark.svg"],
]);
