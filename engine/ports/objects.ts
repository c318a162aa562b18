/** Objects whose keys begin with this are no longer there when the service has started again. */
export const volatileRoot = "volatile";

/**
 * Bytes under names. Adapters: a disk folder, any S3 store, memory.
 * A key is 1 to 8 segments of `[A-Za-z0-9._-]`, separated by `/`; no segment is `.` or `..`.
 */
export interface Objects {
  /**
   * Stores all of `bytes` under `key`; readers see the old object or the whole new one; durable
   * when it resolves.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StoredObject>;
  /** `undefined` when there is no such object. */
  stat(key: string): Promise<FoundObject | undefined>;
  /**
   * The bytes `[start, end)` in chunks of at most 64 KiB; throws `PortError` when there is no such
   * object.
   */
  read(key: string, range: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * Links an object at `path` too, without copying it; the link stays when the object is removed or
   * replaced, and must not be written to. Resolves to a name that no other bytes have, or to
   * `undefined` when linking is not possible; nothing was done then.
   */
  link(key: string, path: string): Promise<string | undefined>;
  /**
   * Makes `to` hold what `from` holds, sharing the bytes where the store can; durable when it
   * resolves. Throws `PortError` when there is no object `from`.
   */
  copy(from: string, to: string): Promise<void>;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
  /** What there is below `folder`, which is a key's first segments, or all; in no certain order. */
  list(folder?: string): AsyncIterable<ListedObject>;
  /**
   * A URL by which its holder may get or put this one object, and nothing else, for so many
   * seconds (a week at most); makes no request. Stores without it are reached by this process only.
   */
  presign?(method: "GET" | "PUT", key: string, seconds: number): Promise<string>;
}

export interface FoundObject {
  readonly sizeBytes: number;
  /** Undefined on farm nodes, which reach objects by signed URLs. */
  readonly version?: ObjectVersion;
}

/** By which a reader knows whether an object is still the one that it has seen. */
export interface ObjectVersion {
  /** Letters, digits and `-`; another for other bytes. */
  readonly tag: string;
  readonly modifiedMs: number;
}

export interface ListedObject {
  readonly key: string;
  readonly sizeBytes: number;
}

export interface StoredObject {
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
