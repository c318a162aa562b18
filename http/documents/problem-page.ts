import type { Answer } from "../exchange/answer.ts";
import { html, type Markup } from "../look/markup.ts";
import { page } from "../look/page.ts";
import type { ProblemType } from "../problems/problem-types.ts";

/** Explains a problem type to a person who opens its address in a browser. */
export function problemPage({ title, statuses, meaning, remedy, slug }: ProblemType): Answer {
  const badges = statuses.map((status) => html`<span class="badge">HTTP ${status}</span>`.markup);
  return page({
    title: `${title} - Klieg`,
    body: html`<article class="card wide">
<h1>${title}</h1>
<p>${{ markup: badges.join("\n") }} <code>${slug}</code></p>
<p>${meaning}</p>
<hr>
<h2>What to do</h2>
<p>${withCode(remedy)}</p>
</article>`,
  });
}

/** Formats words between backticks as code. */
function withCode(text: string): Markup {
  const parts = text
    .split("`")
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return { markup: parts.map(({ markup }) => markup).join("") };
}
