/** Routes of the documentation, which the service serves itself, without other hosts. */

import { Type } from "../../config/schema.ts";
import { openapi, type Published } from "../documents/openapi.ts";
import { json } from "../exchange/answer.ts";
import { type Route, route } from "../route.ts";
import { ApiDocument } from "./api/api-document.ts";
import { docsFiles, docsFilesPath } from "./docs-files.ts";
import { chapterPage, listEntries, problemsPage, referencePage } from "./docs-pages.ts";
import { guides, readChapter } from "./guides.ts";

const SearchEntries = Type.Array(
  Type.Object({
    url: Type.String(),
    page: Type.String(),
    title: Type.String(),
    text: Type.String(),
  }),
);

const page = { answers: { 200: "text/html" }, access: "open" } as const;

/** `all` returns every route of the service, including these. */
export function docsRoutes(all: () => readonly Route[]): readonly Route[] {
  let document: ApiDocument | undefined;
  const readDocument = (service: Published) => {
    document ??= new ApiDocument(openapi(service, all()));
    return document;
  };
  return [
    route("GET", "/docs", {
      ...page,
      summary: "The first guide",
      run: () => chapterPage(readChapter("start")),
    }),
    route("GET", "/docs/api", {
      ...page,
      summary: "The API reference, rendered from the OpenAPI document",
      run: ({ service }) => referencePage(readDocument(service)),
    }),
    route("GET", "/docs/api/{tag}", {
      ...page,
      summary: "The operations of a tag, and the types that they use",
      run: ({ service, id }) => referencePage(readDocument(service), id),
    }),
    route("GET", "/docs/problems", {
      ...page,
      summary: "All types of problems",
      run: problemsPage,
    }),
    route("GET", "/docs/search.json", {
      summary: "The search index of the documentation",
      answers: { 200: SearchEntries },
      access: "open",
      run: ({ service }) => {
        const chapters = guides.map(({ slug }) => readChapter(slug));
        return json(200, listEntries(chapters, readDocument(service)));
      },
    }),
    route("GET", "/docs/{guide}", {
      ...page,
      summary: "A guide",
      run: ({ id }) => chapterPage(readChapter(id)),
    }),
    route("GET", `${docsFilesPath}{file}`, {
      summary: "A stylesheet or script of the documentation",
      answers: { 200: "*/*", 304: null },
      access: "open",
      run: ({ request, id }) => docsFiles.answer(request, id),
    }),
  ];
}
