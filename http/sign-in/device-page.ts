/**
 * The page `/device`. It loads nothing from elsewhere; the code that the user types is sent to this
 * service's approve call and stored nowhere.
 */
import type { Entropy } from "../../engine/ports/entropy.ts";
import type { Answer } from "../exchange/answer.ts";
import { html } from "../look/markup.ts";
import { page } from "../look/page.ts";

export function devicePage(entropy: Entropy): Answer {
  const nonce = Buffer.from(entropy.bytes(16)).toString("base64url");
  return page({
    title: "Approve a device - Klieg",
    nonce,
    isAsking: true,
    body: html`<div class="card">
<h1>Approve a device</h1>
<p>A program asks to act for you. Approve only if you started it yourself and it shows this code.
It gets at most what your token may do, until it is revoked.</p>
<form id="form">
<label for="code">Code that the program shows</label>
<input id="code" class="code" autocomplete="off" autocapitalize="characters" spellcheck="false"
required>
<label for="token">Your access token (with the scope <code>tokens</code>)</label>
<input id="token" type="password" autocomplete="off" required>
<div class="choices">
<button name="approve" value="yes">Approve</button>
<button class="plain" name="approve" value="no">Deny</button>
</div>
</form>
<p id="said" role="status"></p>
<hr>
<p class="hint">The same without this page: <code>POST /v1/oauth/device/approve</code> with
<code>{ "user_code": "...", "approve": true }</code> and your token as bearer.</p>
</div>
<script nonce="${nonce}">${{ markup: script }}</script>`,
  });
}

const script = `
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
`;
