import { Copy } from "../parts/copy.tsx";
import { useState } from "../view.ts";
import type { Body } from "./body.ts";
import type { Kind } from "./kinds.ts";
import { type Language, languages, snippet } from "./snippets.ts";

/** Shows one request in several languages; the selected language is kept for the page. */
export function Code({ kind, body }: { kind: Kind; body: Body }) {
  const [language, setLanguage] = useState<Language>("curl");
  const text = snippet(language, kind, body, location.origin);
  return (
    <section class="code" aria-label="The same request as code">
      <div class="code-head">
        <fieldset class="tabs small">
          <legend class="unseen">Language</legend>
          {languages.map((name) => (
            <label key={name} class={name === language ? "on" : ""}>
              <input
                class="unseen"
                type="radio"
                name="language"
                checked={name === language}
                onChange={() => setLanguage(name)}
              />
              {name}
            </label>
          ))}
        </fieldset>
        <Copy text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
