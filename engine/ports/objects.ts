/** First segment of the keys of objects that are lost when the service restarts. */
export const volatileRoot = "volatile";

/**
 * Bytes stored under keys. Adapters: a disk folder, any S3 store, memory. A key is 1 to 8 segments
 * of `[A-Za-z0-9._-]`, separated by `/`; no segment is `.` or `..`.
 */
export interface Objects {
  /**
   * Stores all of `bytes` under `key`; readers see the old object or the whole new one; durable
   * when it resolves.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StoredObject>;
  /** Describes an object; `undefined` when there is none. */
  stat(key: string): Promise<FoundObject | undefined>;
  /**
   * Yields the bytes `[start, end)` in chunks of at most 64 KiB; throws `PortError` when there is
   * no such object.
   */
  read(key: string, range: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * Links an object at `path` too, without copying it; the link stays when the object is removed or
   * replaced, and must not be written to. Resolves to a name that no other bytes have, or to
   * `undefined` when linking is not possible; nothing was done then.
   */
  link(key: string, path: string): Promise<string | undefined>;
  /**
   * Makes `to` hold the same bytes as `from`, sharing them where the store can; durable when it
   * resolves. Throws `PortError` when there is no object `from`.
   */
  copy(from: string, to: string): Promise<void>;
  /** Removes an object; a missing one is no error. */
  remove(key: string): Promise<void>;
  /** Lists the objects below `folder`, a key's first segments, or all; in no particular order. */
  list(folder?: string): AsyncIterable<ListedObject>;
  /**
   * Returns a URL by which its holder may get or put this one object, and nothing else, for so many
   * seconds (a week at most); makes no request. Stores without this method are reached by this
   * process only.
   */
  presign?(method: "GET" | "PUT", key: string, seconds: number): Promise<string>;
}

export interface FoundObject {
  readonly sizeBytes: number;
  /** The object's version; undefined on farm nodes, which reach objects by signed URLs. */
  readonly version?: ObjectVersion;
}

/** Tells a reader whether an object is still the one that it has read before. */
export interface ObjectVersion {
  /** Letters, digits and `-`; differs when the bytes differ. */
  readonly tag: string;
  readonly modifiedMs: number;
}

export interface ListedObject {
  readonly key: string;
  readonly sizeBytes: number;
}

export interface StoredObject {
  readonly sizeBytes: number;
  /** SHA-256 of the bytes, in lower-case hex. */
  readonly sha256: string;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
