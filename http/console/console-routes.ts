/**
 * The console: one page for all of its addresses, and the files that it loads. What it shows comes
 * from the public API, which the person's own token opens; the page itself knows nothing.
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
