/** The sign-in form: a token, or approval on a device that is already signed in. */
import { awaitDeviceLogin, beginDeviceLogin } from "../clients/typescript/src/device-login.ts";
import type { DeviceAuthorization } from "../clients/typescript/src/generated/models.ts";
import { createFault } from "./asked.ts";
import { Field } from "./parts/field.tsx";
import { Mark } from "./parts/icon.tsx";
import { farewell, signIn } from "./session.ts";
import { useEffect, useState } from "./view.ts";

export function SignIn() {
  const [isDevice, setDevice] = useState(false);
  return (
    <main class="sign-in">
      <div class="card">
        <p class="brand">
          <Mark />
          Klieg
        </p>
        <h1>Sign in</h1>
        {farewell.value !== undefined && <p class="wrong">{farewell.value}</p>}
        {isDevice ? <DeviceForm /> : <TokenForm />}
        <button type="button" class="bare small" onClick={() => setDevice(!isDevice)}>
          {isDevice ? "Sign in with a token" : "Sign in with another device"}
        </button>
      </div>
      <p class="hint">
        The first token of a new service is in <code>data/admin-token</code>, and its start prints a
        link that signs you in. The token stays in this tab.
      </p>
    </main>
  );
}

function TokenForm() {
  const [given, setGiven] = useState("");
  const [wrong, setWrong] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn(given.trim());
    } catch (error) {
      const { detail } = createFault(error);
      setWrong(detail);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Field id="token" label="Token" wrong={wrong}>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellcheck={false}
          required
          value={given}
          onInput={(event) => setGiven(event.currentTarget.value)}
        />
      </Field>
      <button type="submit" disabled={isBusy}>
        Sign in
      </button>
    </form>
  );
}

const device = { url: location.origin, clientId: "klieg-cli" };

/**
 * Scopes for everything that the console shows. A person who approves grants at most what the
 * approving token may do, and an empty scope would lack `tokens`. `admin` needs a token that an
 * operator enters.
 */
const scope =
  "generate jobs:read jobs:cancel assets:read assets:write compositions renders " +
  "shares agents organizations billing:read tokens";

/** Shows a code to approve in a session that is already signed in. */
function DeviceForm() {
  const [shown, setShown] = useState<DeviceAuthorization>();
  const [wrong, setWrong] = useState<string>();
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const login = async () => {
      const begun = await beginDeviceLogin(device, scope, { signal });
      setShown(begun);
      const { access_token: token } = await awaitDeviceLogin(device, begun, { signal });
      await signIn(token);
    };
    login().catch((error: unknown) => {
      if (!signal.aborted) setWrong(createFault(error).detail);
    });
    return () => ending.abort();
  }, []);
  if (wrong !== undefined) return <p class="wrong">{wrong}</p>;
  if (shown === undefined) return <p class="hint">Requesting a code ...</p>;
  return (
    <div class="device" aria-live="polite">
      <p>
        Open{" "}
        <a href={shown.verification_uri_complete} target="_blank" rel="noreferrer">
          {shown.verification_uri}
        </a>{" "}
        and approve this code:
      </p>
      <p class="device-code">{shown.user_code}</p>
      <p class="hint">Waiting for approval ...</p>
    </div>
  );
}
