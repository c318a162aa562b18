/** Preview of the composition: its newest film or still. */
import type { Composition } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { Icon } from "../parts/icon.tsx";
import { Media } from "../parts/media.tsx";
import { klieg } from "../session.ts";
import { newest } from "./newest.ts";

export function Preview({ composition }: { composition: Composition }) {
  const id = newest.value[composition.id];
  return (
    <div class="card run preview">{id === undefined ? <None /> : <Film key={id} id={id} />}</div>
  );
}

function None() {
  return (
    <div class="outcome-none quiet">
      <Icon name="film" size={28} />
      <p>Render it, or take a still, to see it here.</p>
    </div>
  );
}

function Film({ id }: { id: string }) {
  const { asked } = useAsked((signal) => klieg.value.assets.get(id, { signal }), [id]);
  if (asked.phase !== "ready") return <None />;
  return (
    <div class="results">
      <Media asset={asked.value} />
    </div>
  );
}
