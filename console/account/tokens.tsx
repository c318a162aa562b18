/** Personal access tokens: creates them with chosen scopes, shows each once, and revokes them. */
import type {
  CreatedToken,
  CreateTokenRequest,
  Token,
} from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago, day } from "../format.ts";
import { attempt } from "../notices.ts";
import { Copy } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { RequestView } from "../parts/shown.tsx";
import { klieg, me, signOut } from "../session.ts";
import { useState } from "../view.ts";

export function TokensView() {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<CreatedToken>();
  const { asked, again } = useAsked((signal) => klieg.value.tokens.list({ signal }), []);
  const revoke = (token: Token) =>
    attempt(async () => {
      await klieg.value.tokens.revoke(token.id);
      if (token.id === me.value?.token.id) signOut("You revoked the token that you were using.");
      else again();
    }, "Revoked");
  return (
    <section class="stack">
      <div class="panel-head">
        <p class="hint">A token acts for you within its scopes.</p>
        <button type="button" onClick={() => setOpen(true)}>
          <Icon name="plus" />
          New token
        </button>
      </div>
      {made !== undefined && (
        <div class="made-link" role="status">
          <code>{made.token}</code>
          <Copy text={made.token} label="Copy the token" />
          <p class="hint">It is shown only this once.</p>
        </div>
      )}
      <RequestView asked={asked} again={again}>
        {({ items }) => <Tokens items={items} revoke={revoke} />}
      </RequestView>
      {isOpen && (
        <Dialog title="New token" onClose={() => setOpen(false)}>
          <NewToken
            create={async (request) => {
              setMade(await klieg.value.tokens.create(request));
              setOpen(false);
              again();
            }}
          />
        </Dialog>
      )}
    </section>
  );
}

function Tokens({ items, revoke }: { items: readonly Token[]; revoke: (token: Token) => void }) {
  return (
    <div class="list card">
      {items.map((token) => (
        <div key={token.id} class="line" data-row tabIndex={-1}>
          <div class="line-main">
            <p class="row-title">
              {token.name} {token.id === me.value?.token.id && <span class="badge">This one</span>}
            </p>
            <p class="hint">
              <code>{token.prefix}&hellip;</code> made {ago(token.created_at, nowMs.value)}
              {token.last_used_at
                ? `, used ${ago(token.last_used_at, nowMs.value)}`
                : ", never used"}
              {token.expires_at ? `, ends ${day(token.expires_at)}` : ""}
            </p>
            <p class="hint scopes">{token.scopes.join(" · ")}</p>
          </div>
          <button type="button" class="danger small" onClick={() => revoke(token)}>
            Revoke
          </button>
        </div>
      ))}
    </div>
  );
}

type Scope = Token["scopes"][number];

/** A new token can have only scopes that the current token has. */
function NewToken({ create }: { create: (request: CreateTokenRequest) => Promise<void> }) {
  const own = (me.value?.token.scopes ?? []) as readonly Scope[];
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [scopes, setScopes] = useState<readonly Scope[]>(own.filter((scope) => scope !== "admin"));
  const flip = (scope: Scope) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(() => create({ name, scopes, expires_in_days: Number(days) }));
      }}
    >
      <Field id="token-name" label="Name">
        <input
          id="token-name"
          required
          maxLength={100}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <Field id="token-days" label="Days until it expires">
        <input
          id="token-days"
          type="number"
          min={1}
          max={365}
          required
          value={days}
          onInput={(event) => setDays(event.currentTarget.value)}
        />
      </Field>
      <fieldset class="field">
        <legend class="label">Scopes</legend>
        <div class="checks">
          {own.map((scope) => (
            <label key={scope} class="switch">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={() => flip(scope)}
              />
              {scope}
            </label>
          ))}
        </div>
      </fieldset>
      <button type="submit" disabled={scopes.length === 0}>
        Create the token
      </button>
    </form>
  );
}
