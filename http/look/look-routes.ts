/** Routes of the stylesheets and the logo that all pages share. */
import { type Route, route } from "../route.ts";
import { lookFiles, lookPath } from "./look-files.ts";

export const lookRoutes: readonly Route[] = [
  route("GET", `${lookPath}{file}`, {
    summary: "A stylesheet or picture of the service's pages",
    answers: { 200: "*/*", 304: null },
    access: "open",
    anyOrigin: true,
    run: ({ request, id }) => lookFiles.answer(request, id),
  }),
];
