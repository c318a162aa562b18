/** The inspector: the selected clip's properties as form fields. */
import { words } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { deleteClip, placeClip, setHidden, setVolume } from "./clip-edits.ts";
import { createEditedFilm, type EditedFilm, type FilmProps } from "./edited-film.ts";
import { bounds } from "./edits-document.ts";
import { NumberField, TickField } from "./inspector-fields.tsx";
import { changeRate, type Placement, tidy, toFrame, trimEnd } from "./placement.ts";
import type { StudioClip } from "./studio-clips.ts";
import { TextFields } from "./text-fields.tsx";

export function Inspector(props: FilmProps) {
  const edited = createEditedFilm(props);
  const clip = edited.clips.find(({ key }) => key === props.session.selected.value);
  if (clip === undefined)
    return <p class="card panel hint inspector">Select a clip to see and change its times.</p>;
  return <ClipPanel key={clip.key} clip={clip} edited={edited} />;
}

interface ClipProps {
  clip: StudioClip;
  edited: EditedFilm;
}

function ClipPanel({ clip, edited }: ClipProps) {
  const { session } = edited;
  const { kind, name, fixed, diagnostics, isHidden, isText } = clip;
  return (
    <section class="card panel inspector" aria-label="The chosen clip">
      <div class="panel-head">
        <h2>{name}</h2>
        <p class="hint">{isText ? "Added text" : words(kind)}</p>
      </div>
      {fixed !== undefined && <p class="hint">{fixed}</p>}
      {diagnostics.map(({ message, severity }) => (
        <p key={message} class={severity === "error" ? "wrong" : "warned"}>
          {message}
        </p>
      ))}
      <fieldset class="inspector-fields" disabled={fixed !== undefined}>
        {isText && <TextFields id={clip.id} edited={edited} />}
        <Times clip={clip} edited={edited} />
        <TickField
          label="Hidden"
          value={isHidden}
          set={(hidden) => session.edit((old) => setHidden(old, clip, hidden))}
        />
        <button
          type="button"
          class="danger small"
          onClick={() => session.edit((old) => deleteClip(old, clip))}
        >
          <Icon name="trash" size={16} />
          {isText ? "Remove" : "Take out"}
        </button>
      </fieldset>
    </section>
  );
}

function Times({ clip, edited: { session, fps } }: ClipProps) {
  const { start, end, mediaStart, rate, volume } = clip;
  const place = (next: Placement) => session.edit((old) => placeClip(old, clip, next));
  const frame = tidy(1 / fps);
  return (
    <>
      <NumberField
        label="Start (s)"
        value={start}
        step={frame}
        set={(value) => {
          const from = toFrame(value, fps);
          place({ ...clip, start: from, end: from + (end - start) });
        }}
      />
      <NumberField
        label="Duration (s)"
        value={end - start}
        min={0}
        step={frame}
        set={(value) => place(trimEnd(clip, start + value, fps))}
      />
      {mediaStart !== undefined && (
        <NumberField
          label="Source from (s)"
          value={mediaStart}
          min={0}
          step={frame}
          set={(value) => place({ ...clip, mediaStart: Math.max(0, tidy(value)) })}
        />
      )}
      {mediaStart !== undefined && (
        <NumberField
          label="Speed"
          value={rate}
          {...bounds.playbackRate}
          step={0.1}
          set={(value) => place(changeRate(clip, value))}
        />
      )}
      {volume !== undefined && (
        <NumberField
          label="Volume (%)"
          value={volume * 100}
          min={0}
          max={100}
          step={5}
          set={(value) => session.edit((old) => setVolume(old, clip, value / 100))}
        />
      )}
    </>
  );
}
