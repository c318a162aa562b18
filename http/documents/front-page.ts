/** The service's page for browsers. It loads no other resources. */
import type { Answer } from "../transport/answer.ts";

export function frontPage(origin: string, version: string): Answer {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  return {
    status: 200,
    headers: [
      ["Content-Type", "text/html; charset=utf-8"],
      ["Content-Security-Policy", `${policy}; frame-ancestors 'none'`],
      ["Referrer-Policy", "no-referrer"],
      ["Vary", "Accept"],
    ],
    body: page.replaceAll("ORIGIN", origin).replaceAll("VERSION", version),
  };
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Klieg</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto;
    padding: 0 1rem }
  h1 { margin-bottom: 0 }
  pre { padding: .75rem 1rem; overflow-x: auto; border: 1px solid; border-radius: .5rem }
  li { margin: .25rem 0 }
  small { opacity: .7 }
</style>
</head>
<body>
<h1>Klieg</h1>
<p>A media generation service: pictures, video, sound and 3D as durable jobs, and films of HTML
timelines. It answers programs at <code>ORIGIN/v1</code>. <small>Release VERSION</small></p>
<h2>First commands</h2>
<pre>npx klieg generate image "a red kite over dunes" -o kite.png
npx klieg render examples/title-card -o film.mp4</pre>
<p>The same with a token (the first one is in <code>data/admin-token</code>):</p>
<pre>curl -H "Authorization: Bearer $token" -H "Content-Type: application/json" \\
  -d '{"model":"studio-image","prompt":"a lighthouse in a storm"}' ORIGIN/v1/generate/image</pre>
<h2>Where to look</h2>
<ul>
<li><a href="/v1/openapi.json">The contract</a> (OpenAPI 3.1)</li>
<li><a href="/v1/">Links</a> for programs</li>
<li><a href="/readyz">Whether it is ready</a></li>
<li><a href="/device">Approve a device</a> that wants to log in</li>
<li><a href="/v1/problems/validation">What a problem means</a>: each one says its own address</li>
</ul>
</body>
</html>
`;
