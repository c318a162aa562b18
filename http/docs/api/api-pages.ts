/** Pages of the API reference: all operations in a list, and a page for each tag. */
import { html, joinMarkup, type Markup } from "../../look/markup.ts";
import type { ApiDocument, Operation, Tag } from "./api-document.ts";
import { operationMarkup } from "./operation-markup.ts";
import { listMembers, listReferences, memberTable, typeMarkup } from "./schema-markup.ts";

/** Lists all operations by tag, each with a link to its section. */
export function overviewMarkup({ tags }: ApiDocument): Markup {
  return html`<article>
<h1 id="api">API reference</h1>
<p>Every operation of the service, from the schemas that check its requests. Programs read the same
as <a href="/v1/openapi.json">an OpenAPI 3.1 document</a>.</p>
<p>Send a token with each request, as <code>Authorization: Bearer</code>. What is refused answers
with <a href="/docs/problems">a problem object</a>. <a href="/docs/client">The guide for client
authors</a> says in which order to use what, and what may be repeated.</p>
${joinMarkup(tags.map(tagSummary))}
</article>`;
}

function tagSummary({ name, slug, description, operations }: Tag): Markup {
  const rows = operations.map(
    ({ id, verb, path, summary }) =>
      html`<tr><td><code>${verb}</code><td><code>${path}</code>
<td><a href="/docs/api/${slug}#${id}">${summary}</a>`,
  );
  return html`<h2 id="${slug}"><a href="/docs/api/${slug}">${name}</a></h2>
<p>${description}</p>
<table tabindex="0">
<thead><tr><th scope="col">Method<th scope="col">Path<th scope="col">What it does</thead>
<tbody>${joinMarkup(rows)}</tbody></table>`;
}

/** Shows the operations of a tag, then the types that they use. */
export function tagMarkup(document: ApiDocument, tag: Tag): Markup {
  const types = listTypes(document, tag.operations).map((name) => typeSection(document, name));
  return html`<article>
<h1 id="${tag.slug}">${tag.name}</h1>
<p>${tag.description}</p>
${joinMarkup(tag.operations.map(operationMarkup))}
${types.length === 0 ? html`` : html`<h2 id="types">Types</h2>`}
${joinMarkup(types)}
</article>`;
}

/** Lists the types that the bodies and successes of operations use, directly or inside others. */
function listTypes(document: ApiDocument, operations: readonly Operation[]): readonly string[] {
  const shown = operations.map(({ parameters, bodies, successes }) => [
    parameters.map(({ schema }) => schema),
    [...bodies, ...successes.flatMap(({ contents }) => contents)].map(({ schema }) => schema),
  ]);
  const found = new Set(listReferences(shown));
  // A set is iterated in the order of insertion, and goes on with what is added meanwhile.
  for (const name of found)
    for (const inner of listReferences(document.type(name))) found.add(inner);
  return [...found].sort();
}

function typeSection(document: ApiDocument, name: string): Markup {
  const schema = document.type(name);
  const members = listMembers(schema);
  const content =
    members.length === 0 ? html`<p>${typeMarkup(schema)}</p>` : memberTable("Member", members);
  return html`<section class="type" aria-labelledby="${name}"><h3 id="${name}">${name}</h3>
${content}</section>`;
}
