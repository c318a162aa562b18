/**
 * The page `/device`. It needs nothing from elsewhere and may load nothing; what the person types
 * goes to the approve call of this service and is kept nowhere.
 */
import type { Entropy } from "../../engine/ports/entropy.ts";
import type { Answer } from "../transport/answer.ts";

export function devicePage(entropy: Entropy): Answer {
  const nonce = Buffer.from(entropy.bytes(16)).toString("base64url");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status: 200,
    headers: [
      ["Content-Type", "text/html; charset=utf-8"],
      ["Content-Security-Policy", policy.join("; ")],
      ["Referrer-Policy", "no-referrer"],
    ],
    body: page.replaceAll("NONCE", nonce),
  };
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Klieg: approve a device</title>
<style nonce="NONCE">
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem;
    color: #1c1b1a; background: #faf9f7 }
  label { display: block; margin: 1rem 0 .25rem }
  input { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box }
  button { font: inherit; margin: 1rem .5rem 0 0; padding: .5rem 1rem }
  #said { min-height: 1.5em; margin-top: 1rem }
</style>
</head>
<body>
<h1>Approve a device</h1>
<p>A program asks to act for you. Approve only if you started it yourself and it shows this code.
It gets at most what your token may do, until it is revoked.</p>
<form id="form">
<label for="code">Code that the program shows</label>
<input id="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required>
<label for="token">Your access token (with the scope <code>tokens</code>)</label>
<input id="token" type="password" autocomplete="off" required>
<button name="approve" value="yes">Approve</button>
<button name="approve" value="no">Deny</button>
</form>
<p id="said" role="status"></p>
<p>The same without this page: <code>POST /v1/oauth/device/approve</code> with
<code>{ "user_code": "...", "approve": true }</code> and your token as bearer.</p>
<script nonce="NONCE">
  const field = (id) => document.getElementById(id);
  field("code").value = new URLSearchParams(location.search).get("user_code") ?? "";
  field("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const approve = event.submitter?.value !== "no";
    const say = (text) => { field("said").textContent = text; };
    try {
      const response = await fetch("/v1/oauth/device/approve", {
        method: "POST",
        headers: {
          "Authorization": "Bearer " + field("token").value.trim(),
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ user_code: field("code").value, approve }),
      });
      if (response.status === 204) {
        field("token").value = "";
        say(approve ? "Approved. You can go back to the program." : "Denied.");
      } else if (response.status === 404) say("This code is unknown, used or expired.");
      else say((await response.json()).detail ?? "The service answered " + response.status + ".");
    } catch (error) {
      say("The service could not be reached.");
    }
  });
</script>
</body>
</html>
`;
