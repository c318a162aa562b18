/** The picture of a composition in its list: that of its newest film or still. */
import type { Composition } from "../../clients/typescript/src/generated/models.ts";
import { Icon } from "../parts/icon.tsx";
import { klieg, may } from "../session.ts";
import { useEffect, useRef, useState } from "../view.ts";

/** Looks for the picture once the row is in view. */
export function Poster({ composition: { id } }: { composition: Composition }) {
  const place = useRef<HTMLSpanElement>(null);
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const { current } = place;
    if (current === null || !may("renders")) return undefined;
    const ending = new AbortController();
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      // Without its picture the row is as useful.
      findPicture(id, ending.signal).then(setUrl, () => undefined);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      ending.abort();
    };
  }, [id]);
  return (
    <span ref={place} class="row-picture">
      {url === undefined ? (
        <Icon name="compositions" size={20} />
      ) : (
        <img src={url} alt="" onError={() => setUrl(undefined)} />
      )}
    </span>
  );
}

async function findPicture(id: string, signal: AbortSignal): Promise<string | undefined> {
  const { items } = await klieg.value.compositions.renders(id, { signal });
  const asset = items.find((render) => render.status === "succeeded")?.asset_id;
  if (typeof asset !== "string") return undefined;
  const { thumbnail_url, mime_type, signed_url } = await klieg.value.assets.get(asset, { signal });
  return thumbnail_url ?? (mime_type.startsWith("image/") ? signed_url : undefined);
}
