/**
 * The objects that a farm node reaches under a lease, by URLs that are signed one by one: the node
 * holds no key to the store.
 *
 * 1. It puts and removes only below its task's output prefix, and below that in what is volatile.
 * 2. It gets these, what its task's input names, and what the manifest that the input names does.
 */
import { limits } from "../config/limits.ts";
import { type Objects, volatileRoot } from "../engine/ports/objects.ts";
import { PortError } from "../engine/ports/port-error.ts";
import type { ObjectAsk } from "../engine/ports/tasks.ts";

export class TaskObjects {
  /** Prefix of all objects that the task may store. */
  readonly outputPrefix: string;
  private readonly objects: Objects;
  private readonly input: unknown;
  private named: Promise<ReadonlySet<string>> | undefined;

  constructor(objects: Objects, input: unknown, outputPrefix: string) {
    this.objects = objects;
    this.input = input;
    this.outputPrefix = outputPrefix;
  }

  /** Returns the objects of another node that works for the same task but stores elsewhere. */
  below(outputPrefix: string): TaskObjects {
    const objects = new TaskObjects(this.objects, this.input, outputPrefix);
    objects.named = this.names();
    return objects;
  }

  /** Returns the URL for a get or put, or `null` after a removal. Throws `PortError`. */
  async grant(order: ObjectAsk["order"], key: string): Promise<string | null> {
    const mayReach = this.isOutput(key) || (order === "get" && (await this.names()).has(key));
    if (!mayReach) throw new PortError("the lease does not cover this object", false);
    if (order === "remove") {
      await this.objects.remove(key);
      return null;
    }
    const url = this.objects.presign?.(
      order === "get" ? "GET" : "PUT",
      key,
      limits.farm.urlSeconds,
    );
    if (url === undefined)
      throw new PortError("the service keeps its objects on a disk of its own", false);
    return url;
  }

  /**
   * Removes what nodes shared under this task, once it has ended. Objects that cannot be removed
   * are left to the store's own sweep of volatile objects.
   */
  async clearShared(): Promise<void> {
    const { objects } = this;
    try {
      for await (const { key } of objects.list(`${volatileRoot}/${this.outputPrefix}`))
        await objects.remove(key);
    } catch (fault) {
      if (!(fault instanceof PortError)) throw fault;
    }
  }

  private isOutput(key: string): boolean {
    const { outputPrefix } = this;
    return [outputPrefix, `${volatileRoot}/${outputPrefix}`].some((one) =>
      key.startsWith(`${one}/`),
    );
  }

  /** Reads the names once, and again only if that failed. */
  private names(): Promise<ReadonlySet<string>> {
    if (this.named === undefined) {
      this.named = namesIn(this.objects, this.input);
      this.named.catch(() => {
        this.named = undefined;
      });
    }
    return this.named;
  }
}

async function namesIn(objects: Objects, input: unknown): Promise<ReadonlySet<string>> {
  const named = new Set(listMembers(input, "objectKey"));
  for (const manifestKey of listMembers(input, "manifestKey")) {
    named.add(manifestKey);
    for (const key of listMembers(await manifestAt(objects, manifestKey), "objectKey"))
      named.add(key);
  }
  return named;
}

async function manifestAt(objects: Objects, key: string): Promise<unknown> {
  const { sizeBytes = 0 } = (await objects.stat(key)) ?? {};
  if (sizeBytes > limits.capture.textBytesMax)
    throw new PortError("the composition's list of files is too large", false);
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(key, { start: 0, end: sizeBytes })) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch (error) {
    throw new PortError("the composition's list of files cannot be read", false, error);
  }
}

/** Lists the texts of all members with this name anywhere in the value. */
function listMembers(value: unknown, name: string): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === name && typeof member === "string" ? [member] : listMembers(member, name),
  );
}
