/** Chooses assets for a request: existing ones, or a file to upload. */
import type { Asset } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { attempt } from "../notices.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Thumbnail } from "../parts/media.tsx";
import { Empty, RequestView, Tiles } from "../parts/shown.tsx";
import { klieg } from "../session.ts";
import { useState } from "../view.ts";
import { set, values } from "./draft.ts";
import type { Accepts, FormField } from "./fields.ts";

type AssetsField = FormField & { kind: "assets" };

export function AssetField({ field }: { field: AssetsField }) {
  const [isOpen, setOpen] = useState(false);
  const chosen = listIds(field);
  const add = (asset: Asset) => {
    set(field.name, field.max === 1 ? [asset.id] : [...chosen, asset.id].slice(-field.max));
    setOpen(false);
  };
  return (
    <fieldset class="field">
      <legend class="label">{field.label}</legend>
      <div class="chosen">
        {chosen.map((id) => (
          <ChosenAsset key={id} id={id} remove={() => set(field.name, without(chosen, id))} />
        ))}
        {chosen.length < field.max && (
          <button type="button" class="plain add" onClick={() => setOpen(true)}>
            <Icon name="plus" />
            {field.accepts === "video" ? "Video" : field.accepts === "audio" ? "Sound" : "Picture"}
          </button>
        )}
      </div>
      {isOpen && <Picker accepts={field.accepts} onPick={add} onClose={() => setOpen(false)} />}
    </fieldset>
  );
}

function listIds(field: AssetsField): readonly string[] {
  const value = values.value[field.name];
  return Array.isArray(value) ? value : [];
}

function without(ids: readonly string[], id: string): readonly string[] | undefined {
  const left = ids.filter((one) => one !== id);
  return left.length === 0 ? undefined : left;
}

function ChosenAsset({ id, remove }: { id: string; remove: () => void }) {
  const { asked } = useAsked((signal) => klieg.value.assets.get(id, { signal }), [id]);
  return (
    <div class="chosen-one">
      {asked.phase === "ready" ? <Thumbnail asset={asked.value} /> : <div class="skeleton" />}
      <button type="button" class="icon-only" aria-label="Remove" onClick={remove}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}

interface PickerProps {
  accepts: Accepts;
  onPick: (asset: Asset) => void;
  onClose: () => void;
}

const shownMax = 48;

function Picker({ accepts, onPick, onClose }: PickerProps) {
  const { asked, again } = useAsked(
    (signal) =>
      klieg.value.assets.list({ modality: accepts, status: "ready", limit: shownMax }, { signal }),
    [accepts],
  );
  return (
    <Dialog title="Choose" onClose={onClose} isWide>
      <Upload accepts={accepts} onPick={onPick} />
      <RequestView asked={asked} again={again} skeleton={<Tiles count={8} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="assets" title="Nothing of this kind yet" />
          ) : (
            <div class="gallery small">
              {items.map((asset) => (
                <button
                  key={asset.id}
                  type="button"
                  class="tile"
                  aria-label={asset.display_name}
                  onClick={() => onPick(asset)}
                >
                  <Thumbnail asset={asset} />
                </button>
              ))}
            </div>
          )
        }
      </RequestView>
    </Dialog>
  );
}

const fileTypes: Readonly<Record<Accepts, string>> = {
  image: "image/*",
  video: "video/*",
  audio: "audio/*",
  three_d: ".glb,.gltf",
};

function Upload({ accepts, onPick }: Omit<PickerProps, "onClose">) {
  const [share, setShare] = useState<number>();
  const send = (file: File | undefined) => {
    if (file === undefined) return;
    setShare(0);
    attempt(async () => {
      try {
        const onProgress = (sent: { sentBytes: number; totalBytes: number }) =>
          setShare(sent.sentBytes / sent.totalBytes);
        onPick(await klieg.value.assets.upload(file, {}, { onProgress }));
      } finally {
        setShare(undefined);
      }
    });
  };
  return (
    <div class="upload-one">
      <label class="button plain">
        <Icon name="upload" />
        Upload a file
        <input
          class="unseen"
          type="file"
          accept={fileTypes[accepts]}
          onChange={(event) => send(event.currentTarget.files?.[0])}
        />
      </label>
      {share !== undefined && <progress value={share} aria-label="Upload" />}
    </div>
  );
}
