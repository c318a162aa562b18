/** Films and stills of a composition: starting renders, following their progress, sharing. */
import type {
  Composition,
  Render,
  RenderRequest,
} from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago } from "../format.ts";
import { attempt } from "../notices.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Sharing } from "../parts/sharing.tsx";
import { RequestView } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { klieg, may } from "../session.ts";
import { useEffect, useState } from "../view.ts";
import { show } from "./newest.ts";

const qualities = ["fast", "standard", "high"] as const;

export function Renders({ composition }: { composition: Composition }) {
  const { id } = composition;
  const { asked, again } = useAsked(
    (signal) => klieg.value.compositions.renders(id, { signal }),
    [id],
  );
  const render = (request: RenderRequest) =>
    attempt(async () => {
      await klieg.value.compositions.render(id, request);
      again();
    });
  const first = asked.phase === "ready" ? asked.value.items.find(hasAsset)?.asset_id : undefined;
  useEffect(() => {
    if (first) show(id, first);
  }, [id, first]);
  return (
    <div class="card panel">
      <h2>Render</h2>
      {may("renders") && <Ask render={render} />}
      <RequestView asked={asked} again={again}>
        {({ items }) => (
          <ul class="plain-list renders">
            {items.map((one) => (
              <Row key={one.id} render={one} again={again} />
            ))}
          </ul>
        )}
      </RequestView>
    </div>
  );
}

function hasAsset({ status, asset_id: asset }: Render): boolean {
  return status === "succeeded" && typeof asset === "string";
}

function Ask({ render }: { render: (request: RenderRequest) => void }) {
  const [quality, setQuality] = useState<(typeof qualities)[number]>("standard");
  const [second, setSecond] = useState("0");
  return (
    <div class="ask-render">
      <div class="actions">
        <select
          class="narrow"
          aria-label="Quality"
          value={quality}
          onChange={(event) =>
            setQuality(qualities.find((one) => one === event.currentTarget.value) ?? "standard")
          }
        >
          {qualities.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <button type="button" onClick={() => render({ quality })}>
          <Icon name="film" />
          Render the film
        </button>
      </div>
      <div class="actions">
        <input
          class="narrow"
          type="number"
          min={0}
          step={0.1}
          aria-label="Time of the still, in seconds"
          value={second}
          onInput={(event) => setSecond(event.currentTarget.value)}
        />
        <button
          type="button"
          class="plain"
          onClick={() => render({ target: "still", still: { at_seconds: Number(second) } })}
        >
          <Icon name="assets" />
          Take a still at this time
        </button>
      </div>
    </div>
  );
}

interface RowProps {
  render: Render;
  again: () => void;
}

function Row({ render, again }: RowProps) {
  const [isSharing, setSharing] = useState(false);
  const { id, composition_id, asset_id: asset, target, error, warnings, created_at } = render;
  const progress = useProgress(render, again);
  const isOpen = render.status === "queued" || render.status === "running";
  const cancel = () => attempt(async () => void (await klieg.value.renders.cancel(id)));
  return (
    <li class="line">
      <div class="line-main">
        <p>
          <Status of={isOpen && progress !== undefined ? "running" : render.status} />{" "}
          {target === "still" ? "Still" : "Film"}{" "}
          <span class="hint">
            revision {render.composition_revision} · {ago(created_at, nowMs.value)}
          </span>
        </p>
        {isOpen && <Bar share={progress} />}
        {error && <p class="wrong">{error}</p>}
        {warnings.map((warning) => (
          <p key={warning} class="hint">
            {warning}
          </p>
        ))}
      </div>
      {isOpen && (
        <button type="button" class="danger small" onClick={cancel}>
          Cancel
        </button>
      )}
      {asset && (
        <div class="actions">
          <button type="button" class="plain small" onClick={() => show(composition_id, asset)}>
            Show
          </button>
          {may("shares") && (
            <button type="button" class="plain small" onClick={() => setSharing(true)}>
              Share
            </button>
          )}
        </div>
      )}
      {isSharing && (
        <Dialog title="Share this render" onClose={() => setSharing(false)}>
          <Sharing target="renders" id={id} />
        </Dialog>
      )}
    </li>
  );
}

function Bar({ share }: { share: number | undefined }) {
  return (
    <progress {...(share === undefined ? {} : { value: share })} max={1} aria-label="Progress" />
  );
}

/** Follows the render's stream for as long as the render is running. */
function useProgress({ id, status, progress: known }: Render, again: () => void) {
  const [progress, setProgress] = useState(known ?? undefined);
  const isOpen = status === "queued" || status === "running";
  useEffect(() => {
    if (!isOpen) return undefined;
    const ending = new AbortController();
    const { signal } = ending;
    const follow = async () => {
      for await (const { event, data } of klieg.value.renders.stream(id, { signal })) {
        if (event === "complete") break;
        setProgress(data.progress);
      }
      again();
    };
    follow().catch(() => undefined);
    return () => ending.abort();
  }, [id, isOpen]);
  return progress;
}
