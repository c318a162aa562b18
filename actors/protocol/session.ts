/**
 * An agent's session: turns, one at a time, each with a brief, a price that the customer approved
 * and its own credential. Its behaviour is in `session-actor.ts`.
 */

import type { TokenScope } from "../../contract/account.ts";
import type { TurnStatus } from "../../contract/agent.ts";
import type { Due } from "../../engine/actor.ts";
import { type Address, createAddress, type Question } from "../../engine/address.ts";
import { type Id, idBytes, keyOfId, partitionOfId } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import type { Refused } from "../refusal.ts";
import type { Done } from "../reply.ts";
import { codes } from "../table-codes.ts";

export interface Session {
  readonly id: Id;
  readonly scope: Id;
  readonly user: Id;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly turns: number;
  /** Credits committed by all turns together. */
  readonly spent: number;
  /** The running turn, or the last one if none is running. */
  readonly last?: LastTurn;
}

export interface LastTurn {
  readonly turn: Id;
  readonly status: TurnStatus;
  readonly expiresAtMs: number;
  readonly ceiling: number | null;
  readonly committed: number;
  /** The jobs that the turn started most recently, for followers of the session. */
  readonly recentJobs: readonly Id[];
}

/** Title and metadata given when the session was created; written once. */
export interface SessionTerms {
  readonly title: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** An agent's turn, stored in its own row. */
export interface AgentTurn {
  readonly id: Id;
  readonly session: Id;
  readonly status: TurnStatus;
  readonly ceiling: number | null;
  readonly committed: number;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly expiresAtMs: number;
  readonly summary?: string;
}

/** What the bearer of a turn's credential may do, and as which user. */
export interface TurnCredential {
  readonly session: Id;
  readonly turn: Id;
  readonly user: Id;
  readonly scope: Id;
  readonly scopes: readonly TokenScope[];
  readonly expiresAtMs: number;
}

export interface StartTurn {
  readonly kind: "start_turn";
  readonly turn: Id;
  readonly brief: string;
  readonly ceiling: number | null;
  readonly expiresAtMs: number;
  /** SHA-256 of the credential, as a binary string; key under which `credential` is stored. */
  readonly digest: string;
  readonly credential: TurnCredential;
}

/** Commands that a session accepts. */
export type SessionCommand = Question<Done | Refused> &
  (
    | { readonly kind: "create"; readonly session: Session; readonly terms: SessionTerms }
    | StartTurn
    | {
        readonly kind: "finish";
        readonly turn: Id;
        readonly status: "finished" | "failed";
        readonly summary: string | undefined;
      }
    | { readonly kind: "interrupt" }
    | { readonly kind: "approve"; readonly turn: Id; readonly ceiling: number | null }
    | { readonly kind: "remove" }
  );

export type SessionMessage =
  | SessionCommand
  /** From the account: what the turn has committed now, and the job that it was for. */
  | {
      readonly kind: "spent";
      readonly turn: Id;
      readonly committed: number;
      readonly job: Id | undefined;
    }
  | Due;

export function sessionKey(session: Id): Address<SessionMessage, Session> {
  return createAddress(keyOfId(codes.session, session));
}

export function sessionTermsKey(session: Id): Key<SessionTerms> {
  return keyOfId(codes.sessionTerms, session);
}

/** Key of a user's sessions in one context; `owner` as for jobs, `session` bytes or "" for all. */
export function sessionOfOwnerKey(scope: Id, owner: string, session: string): Key<string> {
  return createKey(partitionOfId(scope), codes.sessionOfOwner, owner + session);
}

/** Turns are keyed under their session, ordered by id. */
export function turnKey(session: Id, turn: Id): Key<AgentTurn> {
  return turnsKey(session) + idBytes(turn);
}

export function turnsKey(session: Id): Key<AgentTurn> {
  return keyOfId(codes.agentTurn, session);
}

export function briefKey(turn: Id): Key<string> {
  return keyOfId(codes.brief, turn);
}

/** `digest` is the SHA-256 of the credential as a binary string. */
export function turnCredentialKey(partition: number, digest: string): Key<TurnCredential> {
  return createKey(partition, codes.turnCredential, digest);
}
