/**
 * The signed-in account. The token is kept only for as long as this tab is open, and is sent only
 * to the service that the console was loaded from.
 */

import type { User } from "../clients/typescript/src/generated/models.ts";
import { Klieg, KliegError } from "../clients/typescript/src/klieg.ts";
import { computed, effect, signal } from "./view.ts";

const storedToken = "klieg-token";

export const token = signal<string | undefined>(sessionStorage.getItem(storedToken) ?? undefined);
export const me = signal<User | undefined>(undefined);
/** The reason why the person was signed out. */
export const farewell = signal<string | undefined>(undefined);

export const klieg = computed(
  () => new Klieg({ url: location.origin, token: token.value, surface: "console" }),
);

export const isOperator = computed(() => me.value?.token.scopes.includes("admin") ?? false);

effect(() => {
  if (token.value === undefined) sessionStorage.removeItem(storedToken);
  else sessionStorage.setItem(storedToken, token.value);
});

/** Signs in; throws when the service does not accept the token. */
export async function signIn(given: string): Promise<void> {
  const client = new Klieg({ url: location.origin, token: given, surface: "console" });
  me.value = await client.me();
  farewell.value = undefined;
  token.value = given;
}

export function signOut(reason?: string): void {
  token.value = undefined;
  me.value = undefined;
  farewell.value = reason;
}

/** Reads balance and limits again, after credits were spent or refunded. */
export async function refreshMe(): Promise<void> {
  try {
    me.value = await klieg.value.me();
  } catch (error) {
    noteRefusal(error);
  }
}

/** Ends the session when any call shows that its token is no longer valid. */
export function noteRefusal(error: unknown): void {
  if (error instanceof KliegError && error.status === 401 && token.value !== undefined)
    signOut("Your token is no longer valid. Sign in again.");
}

export function may(scope: string): boolean {
  return me.value?.token.scopes.includes(scope) ?? false;
}
