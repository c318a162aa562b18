/** Pages of the documentation: a common layout with navigation, a search, and the content. */

import type { Answer } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { html, joinMarkup, type Markup } from "../look/markup.ts";
import { page } from "../look/page.ts";
import { type ProblemType, problemTypes } from "../problems/problem-types.ts";
import type { ApiDocument } from "./api/api-document.ts";
import { overviewMarkup, tagMarkup } from "./api/api-pages.ts";
import { docsFiles } from "./docs-files.ts";
import { type Chapter, guides } from "./guides.ts";

/** An entry of the search index; `url` leads to the section. */
export interface Entry {
  readonly url: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

export function chapterPage({ slug, title, html: text, sections }: Chapter): Answer {
  const inside = sections.slice(1).map(({ id, title }) => html`<li><a href="#${id}">${title}</a>`);
  const contents = html`<ul>${joinMarkup(inside)}</ul>`;
  return frame(
    slug,
    title,
    html`<article>${{ markup: text }}</article>
<nav class="contents" aria-label="On this page">${contents}</nav>`,
  );
}

export function problemsPage(): Answer {
  const rows = problemTypes.map(problemRow);
  const table = html`<article>
<h1 id="problems">Problems</h1>
<p>Each refusal is a problem object (RFC 9457), and its <code>type</code> is one of these.</p>
<table><thead><tr><th>Type<th>Status<th>Meaning</thead>
<tbody>${joinMarkup(rows)}</tbody></table>
</article>`;
  return frame("problems", "Problems", table);
}

/** Shows all operations, or those of the tag with that slug; a 404 when there is no such tag. */
export function referencePage(document: ApiDocument, slug?: string): Answer {
  if (slug === undefined) return frame("api", "API reference", overviewMarkup(document));
  const tag = requireFound(document.tags.find((one) => one.slug === slug));
  return frame("api", `${tag.name}: API reference`, tagMarkup(document, tag));
}

export function listEntries(chapters: readonly Chapter[], document: ApiDocument): readonly Entry[] {
  const sections = chapters.flatMap(({ slug, title: page, sections }) =>
    sections.map(({ id, title, text }) => ({ url: `/docs/${slug}#${id}`, page, title, text })),
  );
  const problems = problemTypes.map(({ slug, title, meaning, remedy }) => ({
    url: `/v1/problems/${slug}`,
    page: "Problems",
    title: `${title}: ${slug}`,
    text: `${meaning} ${remedy}`,
  }));
  const operations = document.tags.flatMap(({ slug, operations }) =>
    operations.map(({ id, verb, path, summary }) => ({
      url: `/docs/api/${slug}#${id}`,
      page: "API reference",
      title: summary,
      text: `${verb} ${path}`,
    })),
  );
  return [...sections, ...operations, ...problems];
}

function frame(slug: string, title: string, body: Markup): Answer {
  return page({
    title: `${title} - Klieg`,
    body: html`<div class="docs">${navigation(slug)}${body}</div>`,
    styles: [docsFiles.path("docs.css")],
    scripts: [docsFiles.path("search.bundle.js")],
    isAsking: true,
  });
}

function navigation(current: string): Markup {
  const places = [
    ...guides,
    { slug: "api", title: "API reference", about: "Every path and field" },
    { slug: "problems", title: "Problems", about: "What a refusal means" },
  ].map(({ slug, title, about }) => {
    const here = slug === current ? html` aria-current="page"` : html``;
    return html`<li><a href="/docs/${slug}"${here}>${title}<small>${about}</small></a>`;
  });
  return html`<nav class="places" aria-label="Documentation">
<form role="search"><label for="search">Search</label>
<input id="search" type="search" autocomplete="off" placeholder="Press / to search"
 role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list"></form>
<ol id="found" hidden></ol>
<ul>${joinMarkup(places)}</ul></nav>`;
}

function problemRow({ slug, title, statuses, meaning }: ProblemType): Markup {
  return html`<tr><td><a href="/v1/problems/${slug}">${slug}</a><td>${statuses.join(", ")}
<td>${title}. ${meaning}`;
}
