/** Uploads under way: their progress, the interrupted ones that can be resumed, the refusals. */
import { createFault } from "../asked.ts";
import { bytes } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { klieg, noteRefusal, refreshMe } from "../session.ts";
import { signal } from "../view.ts";

interface Sending {
  readonly id: number;
  readonly file: File;
  readonly phase: "sending" | "stopped" | "done";
  /** Share of the file that was sent, 0 to 1. */
  readonly share: number;
  /** Id of the upload, to resume it. */
  readonly uploadId?: string | undefined;
  readonly fault?: string | undefined;
  readonly stop: AbortController;
}

const atOnceMax = 24;
let last = 0;

export const uploads = signal<readonly Sending[]>([]);

export function sendFiles(files: readonly File[]): void {
  for (const file of files.slice(0, atOnceMax)) {
    const stop = new AbortController();
    const sending: Sending = { id: ++last, file, phase: "sending", share: 0, stop };
    uploads.value = [...uploads.value, sending];
    void send(sending);
  }
}

function change(id: number, more: Partial<Sending>): void {
  uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...more } : one));
}

function forget(id: number): void {
  uploads.value = uploads.value.filter((one) => one.id !== id);
}

async function send({ id, file, uploadId, stop }: Sending): Promise<void> {
  try {
    await klieg.value.assets.upload(
      file,
      {},
      {
        signal: stop.signal,
        resume: uploadId,
        onProgress: ({ sentBytes, totalBytes }) =>
          change(id, { share: totalBytes === 0 ? 1 : sentBytes / totalBytes }),
        onUpload: (begun) => change(id, { uploadId: begun }),
      },
    );
    change(id, { phase: "done", share: 1 });
    void refreshMe();
  } catch (error) {
    noteRefusal(error);
    const fault = stop.signal.aborted ? "Stopped" : createFault(error).detail;
    change(id, { phase: "stopped", fault });
  }
}

function goOn(sending: Sending): void {
  const again: Sending = {
    ...sending,
    phase: "sending",
    fault: undefined,
    stop: new AbortController(),
  };
  change(sending.id, again);
  void send(again);
}

export function Uploads() {
  if (uploads.value.length === 0) return null;
  return (
    <section class="uploads card" aria-label="Uploads">
      {uploads.value.map((sending) => (
        <Upload key={sending.id} sending={sending} />
      ))}
    </section>
  );
}

function Upload({ sending }: { sending: Sending }) {
  const { id, file, phase, share, fault, stop } = sending;
  return (
    <div class="upload">
      <Icon name={phase === "done" ? "check" : "upload"} />
      <div class="upload-words">
        <p class="row-title">{file.name}</p>
        <p class={fault === undefined ? "hint" : "wrong"}>{fault ?? bytes(file.size)}</p>
      </div>
      <progress value={share} max={1} aria-label={`Upload of ${file.name}`} />
      {phase === "stopped" && (
        <button type="button" class="plain small" onClick={() => goOn(sending)}>
          Go on
        </button>
      )}
      <button
        type="button"
        class="bare icon-only"
        aria-label={phase === "sending" ? "Stop" : "Dismiss"}
        onClick={() => (phase === "sending" ? stop.abort() : forget(id))}
      >
        <Icon name="close" size={16} />
      </button>
    </div>
  );
}
