/** Records which servers have which uploaded files; the oldest entries are forgotten. */
import { limits } from "../../config/limits.ts";

export class UploadedFiles<Server> {
  private readonly holdersByName = new Map<string, readonly Server[]>();

  add(name: string, holders: readonly Server[]): void {
    this.holdersByName.delete(name);
    this.holdersByName.set(name, holders);
    if (this.holdersByName.size <= limits.providers.uploadsKept) return;
    const [oldest] = this.holdersByName.keys();
    if (oldest !== undefined) this.holdersByName.delete(oldest);
  }

  /** The `servers` that have all files named by the inputs of a graph's nodes. */
  holders(servers: readonly Server[], graph: Readonly<Record<string, unknown>>): Server[] {
    const names = new Set(texts(Object.values(graph), 0));
    const needed = [...names].flatMap((name) => {
      const holders = this.holdersByName.get(name);
      return holders === undefined ? [] : [holders];
    });
    return servers.filter((server) => needed.every((holders) => holders.includes(server)));
  }
}

const depthMax = 6;

function texts(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth === depthMax) return [];
  return Object.values(value).flatMap((member) => texts(member, depth + 1));
}
