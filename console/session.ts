/**
 * Who is signed in. The token is kept for as long as this tab, nowhere else, and is sent to the
 * service that the console came from, nowhere else.
 */

import type { User } from "../clients/typescript/src/generated/models.ts";
import { Klieg, KliegError } from "../clients/typescript/src/klieg.ts";
import { computed, effect, signal } from "./view.ts";

const storedToken = "klieg-token";

export const token = signal<string | undefined>(sessionStorage.getItem(storedToken) ?? undefined);
export const me = signal<User | undefined>(undefined);
/** Why the person was signed out. */
export const farewell = signal<string | undefined>(undefined);

export const klieg = computed(
  () => new Klieg({ url: location.origin, token: token.value, surface: "console" }),
);

export const isOperator = computed(() => me.value?.token.scopes.includes("admin") ?? false);

effect(() => {
  if (token.value === undefined) sessionStorage.removeItem(storedToken);
  else sessionStorage.setItem(storedToken, token.value);
});

/** Throws when the service does not take the token. */
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

/** Reads balance and limits again: something was spent, or returned. */
export async function refreshMe(): Promise<void> {
  try {
    me.value = await klieg.value.me();
  } catch (error) {
    noteRefusal(error);
  }
}

/** A token that is no longer good ends the session, wherever that shows. */
export function noteRefusal(error: unknown): void {
  if (error instanceof KliegError && error.status === 401 && token.value !== undefined)
    signOut("Your token is no longer valid. Sign in again.");
}

export function may(scope: string): boolean {
  return me.value?.token.scopes.includes(scope) ?? false;
}
