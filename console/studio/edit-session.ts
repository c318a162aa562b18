/**
 * One film being edited by hand.
 *
 * 1. What is seen is the newest version; what is stored follows it, one request at a time, each
 *    over the version that was stored before. Versions in between are left out.
 * 2. What cannot be stored stays, and can be tried again. Nothing is written over edits of another:
 *    theirs are loaded on request, and undo brings back one's own.
 */
import { computed, signal } from "../view.ts";
import { type Edits, noEdits, type ReadEdits, readEdits, writeEdits } from "./edits-document.ts";
import { begin, type History, record, redo, undo, type Version } from "./history.ts";
import { type Authored, learnAuthored, type TimedFilm } from "./studio-clips.ts";
import type { StoredEdits, StudioSource } from "./studio-source.ts";

export type Standing =
  | { readonly phase: "stored" }
  /** About to be stored, or under way. */
  | { readonly phase: "storing" }
  | { readonly phase: "failed"; readonly sentence: string }
  | { readonly phase: "conflict" };

interface SessionOptions {
  readonly source: StudioSource;
  /** Called when edits have been stored. */
  readonly onSaved: () => void;
  /** Edits that follow each other within this time are stored together. */
  readonly pauseMs?: number;
}

export class EditSession {
  readonly history = signal<History>(begin(undefined));
  readonly standing = signal<Standing>({ phase: "stored" });
  /** Key of the clip that the inspector shows. */
  readonly selected = signal<string | undefined>(undefined);
  readonly edits = computed(() => this.readNow());
  authored: Authored = new Map();

  /** A version that the service ignores as invalid edits, and the fault it reports. */
  private readonly ignored = signal<{ readonly version: Version; readonly fault: string }>({
    version: undefined,
    fault: "",
  });
  private readonly source: StudioSource;
  private readonly onSaved: () => void;
  private readonly pauseMs: number;
  private stored: StoredEdits | undefined;
  private isRead = false;
  private saves = 0;
  private saving: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ source, onSaved, pauseMs = 250 }: SessionOptions) {
    this.source = source;
    this.onSaved = onSaved;
    this.pauseMs = pauseMs;
  }

  /** Reads the stored film, and adopts its edits unless there are newer ones here. */
  async read(signal: AbortSignal): Promise<TimedFilm> {
    const { saves } = this;
    const [timeline, stored] = await Promise.all([
      this.source.timeline(signal),
      this.source.edits(signal),
    ]);
    if (saves === this.saves && this.saving === undefined) this.adopt(stored);
    const read = readEdits(stored?.text);
    const film = {
      timeline,
      edits: "fault" in read ? noEdits : read.edits,
      version: stored?.text,
    };
    const refusal = timeline.diagnostics.find(({ code }) => code === "invalid_overlay");
    if (refusal !== undefined)
      this.ignored.value = { version: film.version, fault: refusal.message };
    this.authored = learnAuthored(this.authored, film);
    return film;
  }

  /** Applies a change to the edits; `group` is as in `record`. */
  edit(change: (edits: Edits) => Edits, group?: string): void {
    const read = this.edits.peek();
    if ("fault" in read) return;
    const next = change(read.edits);
    if (next !== read.edits) this.change((history) => record(history, writeEdits(next), group));
  }

  undo(): void {
    this.change(undo);
  }

  redo(): void {
    this.change(redo);
  }

  /** Removes an edits file that cannot be parsed; undo restores it. */
  startAnew(): void {
    this.change((history) => record(history, undefined));
  }

  /** Replaces the local edits by those that another client stored. */
  async takeTheirs(): Promise<void> {
    try {
      this.take(await this.source.edits(new AbortController().signal));
    } catch (error) {
      this.standing.value = { phase: "failed", sentence: explainError(error) };
    }
  }

  /** Stores at once what is not stored yet; resolves when that is done or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.saving ??= this.save().finally(() => {
      this.saving = undefined;
    });
    return this.saving;
  }

  private readNow(): ReadEdits {
    const { now } = this.history.value;
    const { version, fault } = this.ignored.value;
    const read = readEdits(now);
    return !("fault" in read) && now !== undefined && now === version ? { fault } : read;
  }

  private change(make: (history: History) => History): void {
    const before = this.history.peek();
    const after = make(before);
    if (after.now === before.now && after.past.length === before.past.length) return;
    this.history.value = after;
    if (this.standing.peek().phase === "conflict") return;
    this.standing.value = { phase: "storing" };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), this.pauseMs);
  }

  private async save(): Promise<void> {
    for (;;) {
      const text = this.history.peek().now;
      if (text === this.stored?.text) {
        this.standing.value = { phase: "stored" };
        return;
      }
      this.standing.value = { phase: "storing" };
      try {
        const saved = await this.source.saveEdits(text, this.stored?.etag);
        if (saved.kind === "conflict") {
          this.standing.value = { phase: "conflict" };
          return;
        }
        const { etag } = saved;
        this.stored = text === undefined || etag === undefined ? undefined : { text, etag };
      } catch (error) {
        this.standing.value = { phase: "failed", sentence: explainError(error) };
        return;
      }
      this.saves += 1;
      this.onSaved();
    }
  }

  /** Adopts what is stored now; unsaved local edits are kept and will be in conflict. */
  private adopt(stored: StoredEdits | undefined): void {
    const isKnown = this.isRead && stored?.etag === this.stored?.etag;
    if (this.standing.peek().phase === "stored" && !isKnown) this.take(stored);
  }

  private take(stored: StoredEdits | undefined): void {
    const history = this.history.peek();
    this.history.value = this.isRead ? record(history, stored?.text) : begin(stored?.text);
    this.isRead = true;
    this.stored = stored;
    this.standing.value = { phase: "stored" };
  }
}

function explainError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
