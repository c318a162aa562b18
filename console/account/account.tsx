/** The account view: credits, usage, access tokens, organizations and limits. */
import { at, segments } from "../place.ts";
import { CreditsView } from "./credits.tsx";
import { LimitsView } from "./limits.tsx";
import { OrganizationView } from "./organization.tsx";
import { TokensView } from "./tokens.tsx";

const parts = [
  { name: "", title: "Credits", View: CreditsView },
  { name: "tokens", title: "Tokens", View: TokensView },
  { name: "organization", title: "Organization", View: OrganizationView },
  { name: "limits", title: "Limits", View: LimitsView },
];

export function Account() {
  const [, name = ""] = segments.value;
  const shown = parts.find((part) => part.name === name) ?? parts[0];
  return (
    <div class="view">
      <header class="view-head">
        <h1>Account</h1>
      </header>
      <nav class="subnav" aria-label="Parts of the account">
        {parts.map((part) => (
          <a
            key={part.name}
            href={at(part.name === "" ? "account" : `account/${part.name}`)}
            aria-current={part === shown ? "page" : undefined}
          >
            {part.title}
          </a>
        ))}
      </nav>
      {shown !== undefined && <shown.View />}
    </div>
  );
}
