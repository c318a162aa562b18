import { createZip } from "../../engine/zip.ts";
import type { Exported } from "../export/documents.ts";
import { type Writing, writeExport } from "../export/writing.ts";

export type Written =
  | { readonly kind: "archive"; readonly bytes: Uint8Array }
  | Exclude<Exported, { kind: "documents" }>;

/** Makes the documents one after the other, so that only one of them exists at a time. */
export async function archiveExport(writing: Writing): Promise<Written> {
  const exported = writeExport(writing);
  if (exported.kind !== "documents") return exported;
  const { atMs } = writing.terms;
  const chunks: Uint8Array[] = [];
  const entries = exported.documents.map((document) => ({ ...document, atMs }));
  for await (const chunk of createZip(entries)) chunks.push(chunk);
  return { kind: "archive", bytes: Buffer.concat(chunks) };
}
