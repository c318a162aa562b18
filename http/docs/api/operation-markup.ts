/** An operation in the reference: parameters, body, responses, and samples of code. */
import { html, joinMarkup, type Markup } from "../../look/markup.ts";
import type { Content, Operation, Response } from "./api-document.ts";
import { clientSamples } from "./client-samples.ts";
import { curlSample } from "./curl-sample.ts";
import { memberTable, typeMarkup } from "./schema-markup.ts";

export function operationMarkup(operation: Operation): Markup {
  const { id, verb, path, summary, description, parameters, bodies, successes } = operation;
  const shown = parameters.map(({ name, required = false, schema, description, in: place }) => ({
    name,
    schema,
    isRequired: required,
    note:
      place === "query"
        ? (description ?? "")
        : [`in the ${place}`, description ?? ""].filter((part) => part !== "").join("; "),
  }));
  return html`<section class="operation" aria-labelledby="${id}">
<h2 id="${id}">${summary}</h2>
<p class="call"><code><b>${verb}</b> ${path}</code></p>
<p>${description.slice(summary.length + 2)}</p>
${shown.length === 0 ? html`` : memberTable("Parameter", shown)}
${joinMarkup(bodies.map((body) => bodyMarkup(body, operation.isBodyRequired)))}
<h3>Responses</h3>
<ul>${joinMarkup(successes.map(successMarkup))}</ul>
<p>Refused with ${joinMarkup(operation.refusals.map(refusalMarkup), "; ")}.</p>
${samplesMarkup(operation)}
</section>`;
}

function bodyMarkup({ mediaType, schema }: Content, isRequired: boolean): Markup {
  const type = schema === undefined ? html`bytes` : typeMarkup(schema);
  return html`<p>Body${isRequired ? "" : " (optional)"}: ${type}, as <code>${mediaType}</code></p>`;
}

function successMarkup({ status, description, contents }: Response): Markup {
  const types = contents.map(({ mediaType, schema }) =>
    schema === undefined ? html`<code>${mediaType}</code>` : typeMarkup(schema),
  );
  const shown = types.length === 0 ? html`` : html`: ${joinMarkup(types, " or ")}`;
  return html`<li><b>${status}</b> ${description}${shown}`;
}

function refusalMarkup([status, slugs]: Operation["refusals"][number]): Markup {
  const links = slugs.map((slug) => html`<a href="/v1/problems/${slug}">${slug}</a>`);
  return html`<b>${status}</b> ${joinMarkup(links, ", ")}`;
}

function samplesMarkup(operation: Operation): Markup {
  const { typescript, python, go } = clientSamples[`${operation.verb} ${operation.path}`] ?? {};
  const example = operation.successes.flatMap(({ contents }) => contents).find(isShown)?.example;
  const samples: readonly (readonly [title: string, text: string | undefined])[] = [
    ["curl", curlSample(operation)],
    ["TypeScript", typescript],
    ["Python", python],
    ["Go", go],
    ["Example response", formatExample(example)],
  ];
  return joinMarkup(
    samples.map(([title, text]) =>
      text === undefined
        ? html``
        : html`<details><summary>${title}</summary><pre tabindex="0"><code>${text}
</code></pre></details>`,
    ),
  );
}

function isShown({ example }: Content): boolean {
  return example !== undefined;
}

function formatExample(example: unknown): string | undefined {
  return example === undefined || typeof example === "string"
    ? example
    : JSON.stringify(example, undefined, 2);
}
