/** Players for each kind of media. 3D uses the same viewer as share pages. */
import type { Asset } from "../../clients/typescript/src/generated/models.ts";
import { useEffect, useRef, useState } from "../view.ts";
import { Icon, type IconName } from "./icon.tsx";

const viewerScript = "/share-viewer.js";

export function Media({ asset }: { asset: Asset }) {
  const { mime_type: type, signed_url: url, thumbnail_url: poster, display_name: name } = asset;
  if (url === "") return <Placeholder asset={asset} />;
  if (type.startsWith("image/"))
    return <img src={url} alt={asset.prompt || name} {...sizes(asset)} />;
  if (type.startsWith("video/"))
    return (
      <video
        src={url}
        poster={poster ?? undefined}
        controls
        playsInline
        preload="metadata"
        aria-label={name}
        {...sizes(asset)}
      />
    );
  if (type.startsWith("audio/")) return <Sound asset={asset} />;
  if (type === "model/gltf-binary") return <Model asset={asset} />;
  return <Placeholder asset={asset} />;
}

function sizes({ width, height }: Asset) {
  return width && height ? { width, height } : {};
}

function Sound({ asset }: { asset: Asset }) {
  return (
    <div class="sound">
      {asset.thumbnail_url && <img src={asset.thumbnail_url} alt="" width={512} height={128} />}
      {/* biome-ignore lint/a11y/useMediaCaption: what was generated has no captions. */}
      <audio src={asset.signed_url} controls preload="metadata" aria-label={asset.display_name} />
    </div>
  );
}

/** The viewer looks for its stage when its script runs, so each stage loads the script. */
function Model({ asset }: { asset: Asset }) {
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const script = document.createElement("script");
    script.src = viewerScript;
    script.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
    document.head.append(script);
    return () => script.remove();
  }, [asset.id]);
  return (
    <div class="model">
      <div ref={stage} id="model" data-src={asset.signed_url}>
        {asset.thumbnail_url && <img src={asset.thumbnail_url} alt={asset.display_name} />}
      </div>
      <p id="model-fault" hidden>
        This model cannot be displayed here.
      </p>
    </div>
  );
}

function Placeholder({ asset }: { asset: Asset }) {
  return (
    <div class="placeholder">
      <Icon name={chooseIcon(asset)} size={40} />
    </div>
  );
}

/** A small picture for lists and galleries. */
export function Thumbnail({ asset }: { asset: Asset }) {
  const [isBroken, setBroken] = useState(false);
  const { thumbnail_url: url, mime_type: type, signed_url: whole } = asset;
  const shown = url || (type?.startsWith("image/") ? whole : "");
  if (!shown || isBroken) return <Placeholder asset={asset} />;
  const isWave = type.startsWith("audio/");
  return (
    <img
      class={isWave ? "wave" : ""}
      src={shown}
      alt=""
      loading="lazy"
      onError={() => setBroken(true)}
    />
  );
}

function chooseIcon({ modality, mime_type: type = "" }: Asset): IconName {
  if (type.startsWith("video/")) return "film";
  if (type.startsWith("audio/")) return "sound";
  return modality === undefined ? "file" : iconOfModality(modality);
}

export function iconOfModality(modality: NonNullable<Asset["modality"]>): IconName {
  switch (modality) {
    case "image":
      return "assets";
    case "video":
      return "film";
    case "audio":
      return "sound";
    case "three_d":
      return "cube";
  }
}
