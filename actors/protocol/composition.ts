/**
 * What a composition is: a bundle of files under a name. The head has the sums, a row each what it
 * is called, its files, and the renders that read them. How it moves: `composition-actor.ts`.
 */

import { type Address, createAddress, type Question } from "../../engine/address.ts";
import { type Id, idBytes, keyOfId } from "../../engine/id.ts";
import { createKey, getPartition, type Key } from "../../engine/key.ts";
import type { Refused } from "../refusal.ts";
import type { Done } from "../reply.ts";
import { codes } from "../table-codes.ts";
import type { BundleFile } from "./bundle-file.ts";
import type { RemovalMessage } from "./removal.ts";
import type { RenderReply, RenderSubmit } from "./render.ts";

export interface Composition {
  readonly id: Id;
  readonly scope: Id;
  readonly user: Id;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Rises with every change of a file. */
  readonly revision: number;
  /** Rises with every change that clients see. */
  readonly version: number;
  readonly files: number;
  readonly totalBytes: number;
  readonly pathBytes: number;
  readonly clonedFrom?: Id;
  /** As last computed from the files. */
  readonly frame?: Frame;
}

/** What the root of `index.html` says, and how long the film is. */
export interface Frame {
  /** The revision for which the rest holds. */
  readonly revision: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly frameRate: number;
  readonly durationSeconds: number | null;
}

export interface CompositionDetails {
  readonly name: string;
  readonly description: string | null;
  readonly projectId: string | null;
  readonly meta: Meta;
}

export type Meta = Readonly<Record<string, unknown>>;

export interface CompositionPatch {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly projectId?: string | null | undefined;
  /** Replaces the whole. */
  readonly meta?: Meta | undefined;
  /** Member by member; null takes one away. */
  readonly metaPatch?: Meta | undefined;
}

/** `If-Match` and `If-None-Match` (RFC 9110, section 13.1). */
export interface Conditions {
  readonly match?: Tags | undefined;
  readonly noneMatch?: Tags | undefined;
}

export type Tags = "*" | readonly string[];

/** Where the objects of new files are reserved until a step takes them. */
export interface Reservation {
  readonly key: Address<RemovalMessage>;
  readonly untilMs: number;
}

export interface CreateComposition extends Question<Done | Refused> {
  readonly kind: "create";
  readonly composition: Composition;
  readonly details: CompositionDetails;
  readonly files: readonly BundleFile[];
  /** Undefined without files. */
  readonly reservation: Reservation | undefined;
}

export interface PatchComposition extends Question<Done | Refused> {
  readonly kind: "patch";
  readonly patch: CompositionPatch;
  readonly conditions: Conditions;
}

export interface PutFile extends Question<FileStored | Refused> {
  readonly kind: "put_file";
  readonly file: BundleFile;
  readonly conditions: Conditions;
  readonly reservation: Reservation;
}

export interface FileStored {
  readonly kind: "stored";
  readonly isNew: boolean;
  readonly file: BundleFile;
}

export interface DeleteFile extends Question<Done | Refused> {
  readonly kind: "delete_file";
  readonly path: string;
  readonly conditions: Conditions;
}

/** Files by others, in one revision; `before` are the paths of those that go. */
export interface ReplaceFiles extends Question<Done | Moved | Refused> {
  readonly kind: "replace";
  readonly revision: number;
  readonly before: readonly string[];
  readonly files: readonly BundleFile[];
  readonly reservation: Reservation;
}

export interface RemoveComposition extends Question<Done | Moved | Refused> {
  readonly kind: "remove";
  readonly revision: number;
  readonly before: readonly string[];
  readonly conditions: Conditions;
}

export interface RenderComposition extends RenderSubmit, Question<RenderReply | Moved> {
  readonly kind: "render";
}

/** The files are of another revision by now. */
export interface Moved {
  readonly kind: "moved";
}

export interface MeasureFrame extends Question<Done | Refused> {
  readonly kind: "measure";
  readonly frame: Frame;
}

export type CompositionMessage =
  | CreateComposition
  | PatchComposition
  | PutFile
  | DeleteFile
  | ReplaceFiles
  | RemoveComposition
  | RenderComposition
  | { readonly kind: "render_over"; readonly render: Id }
  | MeasureFrame;

/** A strong entity tag of what clients see. */
export function versionTag({ version }: Composition): string {
  return `"v${version}"`;
}

/** `etag` undefined: there is nothing that could match. */
export function holds({ match, noneMatch }: Conditions, etag: string | undefined): boolean {
  if (match !== undefined && !isNamed(match, etag)) return false;
  return noneMatch === undefined || !isNamed(noneMatch, etag);
}

function isNamed(tags: Tags, etag: string | undefined): boolean {
  return etag !== undefined && (tags === "*" || tags.includes(etag));
}

/** Under its scope, so that the compositions of a scope are a range in the order of their ids. */
export function compositionKey(
  scope: Id,
  composition: Id,
): Address<CompositionMessage, Composition> {
  return createAddress(keyOfId(codes.composition, scope) + idBytes(composition));
}

/** What all compositions of a scope begin with. */
export function compositionsKey(scope: Id): Key<Composition> {
  return keyOfId(codes.composition, scope);
}

export function compositionDetailsKey(composition: Key): Key<CompositionDetails> {
  return createKey(getPartition(composition), codes.compositionDetails, composition.slice(2));
}

/** Renders of a composition that have not ended. */
export function activeRendersKey(composition: Key): Key<readonly Id[]> {
  return createKey(getPartition(composition), codes.activeRenders, composition.slice(2));
}

/** Names of objects that no file of a composition has any more, but a render may. */
export function staleObjectsKey(composition: Key): Key<readonly string[]> {
  return createKey(getPartition(composition), codes.staleObjects, composition.slice(2));
}
