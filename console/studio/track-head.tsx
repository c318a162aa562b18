/** The name of a track, with toggles for whether it is visible, muted or locked. */
import { Icon, type IconName } from "../parts/icon.tsx";
import { isOn, type Toggle, toggleTrack } from "./clip-edits.ts";
import type { EditedFilm } from "./edited-film.ts";
import type { Lane } from "./studio-clips.ts";

const toggles: readonly (readonly [toggle: Toggle, label: string, on: IconName, off: IconName])[] =
  [
    ["enabled", "shown", "eye", "unseen"],
    ["muted", "muted", "mute", "sound"],
    ["locked", "locked", "lock", "unlock"],
  ];

export function TrackHead({ lane, edited }: { lane: Lane; edited: EditedFilm }) {
  const { session, edits, clips } = edited;
  const { host, index } = lane;
  if (host !== "") {
    const name = clips.find(({ key }) => key === host)?.name ?? host;
    return <p class="track-head hint">in {name}</p>;
  }
  return (
    <div class="track-head">
      <span>{index}</span>
      {toggles.map(([toggle, label, on, off]) => {
        const is = isOn(edits, index, toggle);
        const name = `Track ${index} is ${label}`;
        return (
          <button
            key={toggle}
            type="button"
            class={is === (toggle === "enabled") ? "bare" : "bare marked"}
            aria-label={name}
            aria-pressed={is}
            title={is ? name : `Track ${index} is not ${label}`}
            onClick={() => session.edit((old) => toggleTrack(old, index, toggle))}
          >
            <Icon name={is ? on : off} size={15} />
          </button>
        );
      })}
    </div>
  );
}
