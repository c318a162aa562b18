/**
 * A composition: a bundle of files under a name. The head has the sums; separate rows hold its
 * details, its files, and the renders that read them. Its behaviour is in `composition-actor.ts`.
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
  /** Revision of the files, which rises with every change of a file. */
  readonly revision: number;
  /** Version of the composition, which rises with every change that clients see. */
  readonly version: number;
  readonly files: number;
  readonly totalBytes: number;
  readonly pathBytes: number;
  readonly clonedFrom?: Id;
  /** Frame as last computed from the files. */
  readonly frame?: Frame;
}

/** Size and frame rate from the root of `index.html`, and the film's duration. */
export interface Frame {
  /** Revision of the composition for which this frame holds. */
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
  /** Replaces `meta` as a whole. */
  readonly meta?: Meta | undefined;
  /** Merged into `meta` member by member; null removes a member. */
  readonly metaPatch?: Meta | undefined;
}

/** The conditions `If-Match` and `If-None-Match` (RFC 9110, section 13.1). */
export interface Conditions {
  readonly match?: Tags | undefined;
  readonly noneMatch?: Tags | undefined;
}

export type Tags = "*" | readonly string[];

/** A reservation of the objects of new files, which holds until a step takes them. */
export interface Reservation {
  readonly key: Address<RemovalMessage>;
  readonly untilMs: number;
}

export interface CreateComposition extends Question<Done | Refused> {
  readonly kind: "create";
  readonly composition: Composition;
  readonly details: CompositionDetails;
  readonly files: readonly BundleFile[];
  /** Reservation of the files' objects, or undefined when there are no files. */
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

/** Replaces files in one revision; `before` are the paths of the files that are removed. */
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

/** The files have another revision than the request expected. */
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

/** Returns a strong entity tag of what clients see of the composition. */
export function versionTag({ version }: Composition): string {
  return `"v${version}"`;
}

/** Checks conditions. `etag` is undefined when nothing exists that could match. */
export function holds({ match, noneMatch }: Conditions, etag: string | undefined): boolean {
  if (match !== undefined && !isNamed(match, etag)) return false;
  return noneMatch === undefined || !isNamed(noneMatch, etag);
}

function isNamed(tags: Tags, etag: string | undefined): boolean {
  return etag !== undefined && (tags === "*" || tags.includes(etag));
}

/** Compositions are keyed under their scope, so that a scope's are one range, ordered by id. */
export function compositionKey(
  scope: Id,
  composition: Id,
): Address<CompositionMessage, Composition> {
  return createAddress(keyOfId(codes.composition, scope) + idBytes(composition));
}

/** Key prefix of all compositions of a scope. */
export function compositionsKey(scope: Id): Key<Composition> {
  return keyOfId(codes.composition, scope);
}

export function compositionDetailsKey(composition: Key): Key<CompositionDetails> {
  return createKey(getPartition(composition), codes.compositionDetails, composition.slice(2));
}

/** Key of the list of a composition's renders that have not ended. */
export function activeRendersKey(composition: Key): Key<readonly Id[]> {
  return createKey(getPartition(composition), codes.activeRenders, composition.slice(2));
}

/** Key of the names of objects that no file refers to any more, but a render may still read. */
export function staleObjectsKey(composition: Key): Key<readonly string[]> {
  return createKey(getPartition(composition), codes.staleObjects, composition.slice(2));
}
