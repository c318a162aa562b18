/** Public share links: creates them, shows each once, counts their uses, revokes them. */
import type { ShareLink } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { day } from "../format.ts";
import { attempt } from "../notices.ts";
import { klieg } from "../session.ts";
import { useState } from "../view.ts";
import { Copy } from "./copy.tsx";
import { Field } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { RequestView } from "./shown.tsx";

interface SharingProps {
  target: "assets" | "renders";
  id: string;
}

export function Sharing({ target, id }: SharingProps) {
  const [made, setMade] = useState<ShareLink>();
  const { asked, again } = useAsked(
    (signal) => klieg.value.shares.list(target, id, { signal }),
    [target, id],
  );
  const revoke = (link: ShareLink) =>
    attempt(async () => {
      await klieg.value.shares.revoke(target, id, link.id);
      if (made?.id === link.id) setMade(undefined);
      again();
    }, "Withdrawn");
  return (
    <div class="card sharing">
      <h2>Share</h2>
      {made?.url !== undefined && <NewLink url={made.url} />}
      <Form
        share={async (request) => {
          setMade(await klieg.value.shares.create(target, id, request));
          again();
        }}
      />
      <RequestView asked={asked} again={again}>
        {({ items }) => (
          <ul class="links">
            {items.map((link) => (
              <Link key={link.id} link={link} revoke={() => revoke(link)} />
            ))}
          </ul>
        )}
      </RequestView>
    </div>
  );
}

function NewLink({ url }: { url: string }) {
  return (
    <div class="made-link" role="status">
      <a href={url} target="_blank" rel="noreferrer">
        {url}
      </a>
      <Copy text={url} label="Copy the link" />
      <p class="hint">The address is shown only this once.</p>
    </div>
  );
}

type Request = { expires_in_days?: number; password?: string; view_only?: boolean };

function Form({ share }: { share: (request: Request) => Promise<void> }) {
  const [days, setDays] = useState("");
  const [password, setPassword] = useState("");
  const [isViewOnly, setViewOnly] = useState(false);
  const submit = () =>
    attempt(() =>
      share({
        ...(days === "" ? {} : { expires_in_days: Number(days) }),
        ...(password === "" ? {} : { password }),
        ...(isViewOnly ? { view_only: true } : {}),
      }),
    );
  return (
    <form
      class="share-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <details class="more">
        <summary>Conditions</summary>
        <Field id="share-days" label="Days until it expires">
          <input
            id="share-days"
            type="number"
            min={1}
            max={365}
            placeholder="Never"
            value={days}
            onInput={(event) => setDays(event.currentTarget.value)}
          />
        </Field>
        <Field id="share-password" label="Password">
          <input
            id="share-password"
            type="password"
            autoComplete="new-password"
            minLength={4}
            maxLength={128}
            placeholder="None"
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </Field>
        <ViewOnly isOn={isViewOnly} set={setViewOnly} />
      </details>
      <button type="submit" class="plain">
        <Icon name="share" />
        Make a link
      </button>
    </form>
  );
}

function ViewOnly({ isOn, set }: { isOn: boolean; set: (isOn: boolean) => void }) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      View only, without a download
    </label>
  );
}

function Link({ link, revoke }: { link: ShareLink; revoke: () => void }) {
  const { token_prefix: prefix, access_count: visits, expires_at: end, has_password } = link;
  const words = [
    `${visits} ${visits === 1 ? "visit" : "visits"}`,
    end === undefined ? "no end" : `until ${day(end)}`,
    has_password ? "password" : undefined,
    link.view_only ? "view only" : undefined,
  ];
  return (
    <li>
      <span>
        <code>{prefix}&hellip;</code>{" "}
        <span class="hint">{words.filter((word) => word !== undefined).join(" · ")}</span>
      </span>
      <button type="button" class="danger small" onClick={revoke}>
        Withdraw
      </button>
    </li>
  );
}
