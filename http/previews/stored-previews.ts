/** Previews of stored compositions that are open on this node. */
import { type BundleFile, bundleFileKey, objectKeyFor } from "../../actors/protocol/bundle-file.ts";
import { type Composition, compositionKey } from "../../actors/protocol/composition.ts";
import { limits } from "../../config/limits.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { getRange } from "../../engine/key.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { findSoonReadyAsset } from "../assets/ready-asset.ts";
import type { CompositionTimelines } from "../compositions/composition-timelines.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { OpenPreview, type PreviewFiles, type WritePage } from "./open-preview.ts";
import type { PreviewTicket } from "./preview-tickets.ts";

/** The parts of the service that previews need. */
interface PreviewSources {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly objects: Objects;
  readonly timelines: CompositionTimelines;
  readonly writePage: WritePage;
}

export class StoredPreviews {
  private readonly byTicket = new Map<string, Promise<OpenPreview>>();

  /**
   * When too many previews are open, the one opened first is closed. Throws `RefusalError` with 404
   * when the revision no longer exists.
   */
  of(service: PreviewSources, text: string, ticket: PreviewTicket): Promise<OpenPreview> {
    const known = this.byTicket.get(text);
    if (known !== undefined) return known;
    const opening = listStoredFiles(service, ticket).then(
      (files) => new OpenPreview(files, `/preview/${text}/`, service.writePage),
    );
    this.byTicket.set(text, opening);
    opening.catch(() => this.byTicket.delete(text));
    const [oldest] = this.byTicket.keys();
    if (this.byTicket.size > limits.compositions.previewsKept && oldest !== undefined)
      this.byTicket.delete(oldest);
    return opening;
  }
}

async function listStoredFiles(
  service: PreviewSources,
  ticket: PreviewTicket,
): Promise<PreviewFiles> {
  const { gateway, objects, timelines } = service;
  const key = compositionKey(ticket.scope, ticket.composition);
  const range = getRange(bundleFileKey(key, ""));
  const rows = await gateway.range(range, limits.compositions.filesMax + 1, false);
  const composition = findCurrent(service, ticket);
  const files = rows.map((row) => gateway.row<BundleFile>(row));
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  return {
    objects,
    files: files.map((file) => ({ ...file, key: objectKeyFor(composition.id, file) })),
    timeline: () => timelines.of(composition, files),
    async asset(id) {
      const asset = await findSoonReadyAsset(service, ticket.scope, id);
      if (asset === undefined) return undefined;
      const { objectKey, mimeType } = asset.media;
      const stored = await objects.stat(objectKey);
      return stored && { key: objectKey, size: stored.sizeBytes, mime: mimeType };
    },
  };
}

/** Throws `RefusalError` with 404 unless the revision is the current one. */
export function findCurrent({ gateway }: Pick<PreviewSources, "gateway">, ticket: PreviewTicket) {
  const key = compositionKey(ticket.scope, ticket.composition);
  const composition: Composition = requireFound(gateway.read(key));
  return requireFound(composition.revision === ticket.revision ? composition : undefined);
}

declare module "../service.ts" {
  interface Service {
    readonly previews: StoredPreviews;
  }
}
