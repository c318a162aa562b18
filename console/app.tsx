/** The frame around all views: navigation, the signed-in account, and the view of the address. */

import { credits } from "./format.ts";
import { areKeysShown, keys } from "./keys.ts";
import { dismiss, notices } from "./notices.ts";
import { Dialog } from "./parts/dialog.tsx";
import { Icon, Mark } from "./parts/icon.tsx";
import { Empty, Rows } from "./parts/shown.tsx";
import { at, segments } from "./place.ts";
import { isOperator, me, refreshMe, signOut, token } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { useEffect, useState } from "./view.ts";
import { customerViews, operatorViews, type View } from "./views.ts";

const views = [...customerViews, ...operatorViews];

export function App() {
  useEffect(() => {
    if (token.value !== undefined) void refreshMe();
  }, []);
  return (
    <>
      {token.value === undefined ? <SignIn /> : <Frame />}
      <Notices />
      {areKeysShown.value && <Keys />}
    </>
  );
}

function Frame() {
  const name = segments.value[0] || "create";
  const shown = views.find((view) => view.name === name);
  useEffect(() => {
    document.title = `${shown?.title ?? "Nothing here"} - Klieg`;
  }, [shown]);
  return (
    <div class="frame">
      <a class="skip" href="#view">
        To the content
      </a>
      <Navigation name={name} />
      <main id="view" tabIndex={-1}>
        {me.value === undefined ? <Rows count={5} /> : <Body view={shown} />}
      </main>
    </div>
  );
}

function Body({ view }: { view: View | undefined }) {
  if (view === undefined)
    return (
      <Empty icon="search" title="Nothing here">
        <a class="button plain" href={at("")}>
          To the start
        </a>
      </Empty>
    );
  return <view.view key={view.name} />;
}

function Navigation({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [name]);
  return (
    <div class={isOpen ? "side open" : "side"}>
      <div class="side-head">
        <a class="brand" href={at("")}>
          <Mark />
          Klieg
        </a>
        <Balance />
        <button
          type="button"
          class="bare icon-only menu"
          aria-label="Menu"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "close" : "jobs"} />
        </button>
      </div>
      <nav aria-label="Views">
        <Links views={customerViews} name={name} />
        {isOperator.value && (
          <>
            <p class="nav-title">Operator</p>
            <Links views={operatorViews} name={name} />
          </>
        )}
      </nav>
      <Person />
    </div>
  );
}

function Links({ views: shown, name }: { views: readonly View[]; name: string }) {
  return (
    <ul>
      {shown.map((view) => (
        <li key={view.name}>
          <a href={at(view.name)} aria-current={view.name === name ? "page" : undefined}>
            <Icon name={view.icon} />
            {view.title}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Balance() {
  const balance = me.value?.balance_credits;
  if (balance === undefined || balance === null) return <span />;
  return (
    <a class="balance" href={at("account")} aria-label={`Balance: ${credits(balance)}`}>
      {credits(balance)}
    </a>
  );
}

function Person() {
  const person = me.value;
  if (person === undefined) return null;
  const { email, active_organization: organization, plan } = person;
  return (
    <div class="person">
      <div>
        <p class="who" title={email}>
          {email}
        </p>
        <p class="hint">{organization === null || !organization ? plan : organization.name}</p>
      </div>
      <button
        type="button"
        class="bare icon-only"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => signOut()}
      >
        <Icon name="out" />
      </button>
    </div>
  );
}

function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`}>
          <Icon name={kind === "done" ? "check" : "failures"} />
          <p>{text}</p>
          <button
            type="button"
            class="bare icon-only"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}

function Keys() {
  return (
    <Dialog
      title="Keys"
      onClose={() => {
        areKeysShown.value = false;
      }}
    >
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split(" ").map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
