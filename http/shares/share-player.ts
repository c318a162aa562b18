/** A player for each kind of media, native to the browser; `model-viewer.ts` draws 3D models. */
import type { ShareResolution } from "../../contract/share.ts";
import { html, type Markup } from "../look/markup.ts";

/** Media type that the viewer draws; other 3D files can only be downloaded. */
export const modelType = "model/gltf-binary";

export function writePlayer(shared: ShareResolution): Markup {
  const { mime_type: type, media_url: url, thumbnail_url: poster, name, view_only } = shared;
  const only = view_only ? " view-only" : "";
  const controls = view_only ? html`controls controlslist="nodownload"` : html`controls`;
  if (type.startsWith("video/")) {
    const still = poster ? html` poster="${poster}"` : "";
    return html`<div class="stage film${only}">
<video ${controls} playsinline preload="metadata"${still} src="${url}"></video>
</div>`;
  }
  if (type.startsWith("audio/"))
    return html`<div class="stage sound${only}">
${poster ? html`<img src="${poster}" alt="">` : ""}
<audio ${controls} preload="metadata" src="${url}"></audio>
</div>`;
  if (type.startsWith("image/"))
    return html`<div class="stage picture${only}"><img src="${url}" alt="${name}"></div>`;
  if (type === modelType) return modelStage(shared, only);
  return html`<div class="stage file">
${poster ? html`<img src="${poster}" alt="">` : html`<p>There is no preview of this file.</p>`}
</div>`;
}

/** The poster stays visible until the viewer has drawn its first frame. */
function modelStage({ media_url: url, thumbnail_url: poster }: ShareResolution, only: string) {
  return html`<div class="stage model${only}" id="model" data-src="${url}">
${poster ? html`<img src="${poster}" alt="">` : ""}
<p id="model-fault" hidden>This model cannot be displayed here.</p>
<noscript><p>Switch scripts on to turn this model around.</p></noscript>
</div>`;
}

/** Reserves space for a picture before it loads, and does not enlarge small ones. */
export function playerStyle({ mime_type: type, width, height }: ShareResolution): string {
  const isFilm = type.startsWith("video/");
  if (type.startsWith("audio/")) return ".piece { max-width: 40rem }\n";
  if (!(isFilm || type.startsWith("image/")) || !width || !height) return "";
  const natural = isFilm ? "" : `, ${Math.max(width, 240)}px`;
  return (
    `.piece { max-width: min(100%${natural}, calc(76vh * ${width / height})) }\n` +
    `.stage ${isFilm ? "video" : "img"} { width: 100%; aspect-ratio: ${width} / ${height} }\n`
  );
}

/** Writes the Open Graph tags of a page (ogp.me). */
export function writePreview(shared: ShareResolution): Markup {
  const { name, mime_type: type, media_url: url, thumbnail_url: poster } = shared;
  const picture = poster ?? (type.startsWith("image/") ? url : undefined);
  return html`<meta property="og:title" content="${name}">
<meta property="og:type" content="${openGraphType(type)}">
${picture === undefined ? "" : html`<meta property="og:image" content="${picture}">`}`;
}

function openGraphType(mimeType: string): string {
  if (mimeType.startsWith("video/")) return "video.other";
  return mimeType.startsWith("audio/") ? "music.song" : "website";
}

const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** Formats facts such as `1920 x 1080, 0:12, 4.5 MB, link until 30 November 2026`. */
export function listFacts(shared: ShareResolution): string {
  const { width, height, duration_seconds: seconds, size_bytes, expires_at: expires } = shared;
  const facts = [
    width && height ? `${width} \u00d7 ${height}` : undefined,
    seconds ? formatClock(seconds) : undefined,
    getSize(size_bytes),
    expires ? `link until ${days.format(Date.parse(expires))}` : undefined,
  ];
  return facts.filter((fact) => fact !== undefined).join(" \u00b7 ");
}

function formatClock(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

function getSize(bytes: number): string {
  if (bytes < 1e6) return `${Math.max(1, Math.round(bytes / 1e3))} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
