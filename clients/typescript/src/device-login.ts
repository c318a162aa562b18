/**
 * The device grant (RFC 8628): a person approves in a browser what this program may do. These calls
 * carry no bearer token, so they need no client.
 */
import type { CallOptions } from "./caller.ts";
import type { AccessToken, DeviceAuthorization } from "./generated/models.ts";
import { KliegError, unreachable } from "./problem.ts";
import { pause } from "./retry.ts";

export interface DeviceLogin {
  /** Base URL of the service, without `/v1`. */
  readonly url: string;
  readonly clientId: string;
}

const slowDownSeconds = 5;
const answerMs = 30_000;

interface Refusal {
  readonly error?: string;
  readonly error_description?: string;
  readonly detail?: string;
}

/** Returns the address and code to show to the person. `scope` separates its words by spaces. */
export async function beginDeviceLogin(
  { url, clientId }: DeviceLogin,
  scope: string,
  options: CallOptions = {},
): Promise<DeviceAuthorization> {
  const fields = { client_id: clientId, scope };
  const path = "/oauth/device_authorization";
  const { status, body } = await postForm<DeviceAuthorization>(url, path, fields, options);
  if (status === 200) return body;
  throw refuse(body, status);
}

/** Polls as often as allowed until the person has decided. */
export async function awaitDeviceLogin(
  { url, clientId }: DeviceLogin,
  device: DeviceAuthorization,
  options: CallOptions = {},
): Promise<AccessToken> {
  const fields = {
    client_id: clientId,
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: device.device_code,
  };
  let seconds = device.interval;
  for (;;) {
    await pause(seconds * 1_000, options.signal);
    const { status, body } = await postForm<AccessToken>(url, "/oauth/token", fields, options);
    if (status === 200) return body;
    if (body.error === "slow_down") seconds += slowDownSeconds;
    else if (body.error !== "authorization_pending") throw refuse(body, status);
  }
}

/** Revokes a token that `awaitDeviceLogin` returned. */
export async function revokeDeviceToken(
  { url, clientId }: DeviceLogin,
  token: string,
  options: CallOptions = {},
): Promise<void> {
  await postForm(url, "/oauth/revoke", { token, client_id: clientId }, options);
}

/** Posts an OAuth form. OAuth refusals are no problem objects and are returned like answers. */
async function postForm<T>(
  url: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  { signal }: CallOptions,
): Promise<{ readonly status: number; readonly body: T & Refusal }> {
  const patience = AbortSignal.timeout(answerMs);
  try {
    const response = await fetch(`${url}/v1${path}`, {
      method: "POST",
      signal: signal === undefined ? patience : AbortSignal.any([patience, signal]),
      body: new URLSearchParams(fields),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text === "" ? "{}" : text) };
  } catch (fault) {
    signal?.throwIfAborted();
    throw unreachable(url, fault);
  }
}

function refuse({ error, error_description: said, detail }: Refusal, status: number): KliegError {
  const reason = said ?? detail ?? error ?? `The service answered ${status}.`;
  return new KliegError(reason, { status, code: error });
}
