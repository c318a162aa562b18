/** The service's page for browsers: what it is, the first commands, and where to go. */

import type { Answer } from "../exchange/answer.ts";
import { lookFiles } from "../look/look-files.ts";
import { html, joinMarkup } from "../look/markup.ts";
import { page } from "../look/page.ts";

export function frontPage(origin: string, version: string): Answer {
  return page({
    title: "Klieg",
    styles: [lookFiles.path("front.css")],
    headers: [["Vary", "Accept"]],
    footer: html`Release ${version} - <a href="/v1/openapi.json">the contract</a> -
<a href="/v1/">links for programs</a> - <a href="/readyz">whether it is ready</a> -
<a href="/device">approve a device</a>`,
    body: html`<div class="front">
<section class="lead">
<h1>Light for moving pictures</h1>
<p>Klieg turns requests into pictures, film, sound and 3D on machines of your own: durable jobs,
exact credits, and a farm that films HTML.</p>
<p class="choices"><a class="button" href="/console">Open the console</a>
<a class="button plain" href="/docs">Read the guides</a></p>
</section>
<section class="first">
<h2>First commands</h2>
<p>In the folder of the clone; the command line finds the service and its first credential.</p>
<pre tabindex="0"><code>npx klieg generate image "a red kite over dunes" -o kite.png
npx klieg render examples/title-card -o film.mp4</code></pre>
<p>From anywhere, with a token:</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $token" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"studio-image","prompt":"a lighthouse in a storm"}' \\
  ${origin}/v1/generate/image</code></pre>
</section>
<ul class="ways">${ways}</ul>
</div>`,
  });
}

const ways = joinMarkup(
  [
    [
      "/docs/client",
      "You write a program",
      "Jobs, streams, retries and money, in the right order.",
    ],
    ["/docs/composition", "You make films", "HTML timelines, the same frames every time."],
    ["/docs/load-testing", "You measure", "Simulated models and a benchmark for comparisons."],
    ["/docs/operator", "You run it", "Watch it, scale it, keep it."],
    ["/docs/api", "API reference", "Every path and field, from the schemas that validate."],
    ["/docs/problems", "Problems", "Each refusal has a page that says what to do."],
  ].map(
    ([path = "", title = "", text = ""]) =>
      html`<li><a class="card" href="${path}"><strong>${title}</strong>${text}</a>`,
  ),
);
