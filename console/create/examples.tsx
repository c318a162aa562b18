/** Examples for users who have made nothing yet, each of which one click submits. */
import type { Model } from "../../clients/typescript/src/generated/models.ts";
import { Icon } from "../parts/icon.tsx";
import { fill } from "./draft.ts";
import { getKind, isOfKind, type KindName } from "./kinds.ts";

interface Example {
  readonly kind: KindName;
  readonly field: "prompt" | "text";
  readonly words: string;
}

const examples: readonly Example[] = [
  { kind: "image", field: "prompt", words: "A lighthouse in a storm at dusk" },
  { kind: "image", field: "prompt", words: "A red kite over dunes, early morning" },
  { kind: "video", field: "prompt", words: "A slow push into a snowy forest at night" },
  { kind: "audio", field: "text", words: "Lights, please. We are rolling." },
];

/** Shows examples; `start` submits the request that was filled in. */
export function Examples({ models, start }: { models: readonly Model[]; start: () => void }) {
  const use = ({ kind, field, words }: Example, model: Model) => {
    fill(getKind(kind), { model: model.id, [field]: words });
    start();
  };
  const able = examples.flatMap((example) => {
    const model = models.find((one) => isOfKind(one, getKind(example.kind)) && takes(one, example));
    return model === undefined ? [] : [{ example, model }];
  });
  return (
    <section class="welcome">
      <h2>Make something</h2>
      <p>
        Say what you want and press <b>Generate</b>, or begin with one of these. What is made
        appears here, and stays in your jobs and assets.
      </p>
      <div class="examples">
        {able.map(({ example, model }) => (
          <button
            key={example.words}
            type="button"
            class="plain example"
            onClick={() => use(example, model)}
          >
            <Icon name={getKind(example.kind).icon} />
            <span>{example.words}</span>
          </button>
        ))}
      </div>
    </section>
  );
}

function takes({ options, modality }: Model, { field }: Example): boolean {
  return (
    modality !== "audio" || (options["tasks"]?.includes("speech") ?? false) === (field === "text")
  );
}
