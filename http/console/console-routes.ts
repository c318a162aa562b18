/**
 * Routes of the console: one page for all of its addresses, and the files that it loads. Its data
 * come from the public API under the user's own token; the page itself contains none.
 */
import { anyParameters } from "../request/query.ts";
import { type Route, route } from "../route.ts";
import { consoleFiles, consoleFilesPath } from "./console-files.ts";
import { consolePage } from "./console-page.ts";

const page = {
  answers: { 200: "text/html" },
  access: "open",
  query: anyParameters,
} as const;

export const consoleRoutes: readonly Route[] = [
  route("GET", "/console", {
    ...page,
    summary: "The console",
    run: ({ service }) => consolePage(service),
  }),
  route("GET", "/console/{rest}", {
    ...page,
    summary: "A view of the console",
    run: ({ service }) => consolePage(service),
  }),
  route("GET", `${consoleFilesPath}{file}`, {
    summary: "A script or stylesheet of the console",
    answers: { 200: "*/*", 304: null },
    access: "open",
    run: ({ request, id }) => consoleFiles.answer(request, id),
  }),
];
