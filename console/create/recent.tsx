/** The account's latest jobs, for a person who has made nothing in this tab yet. */
import { useAsked } from "../asked.ts";
import { nowMs } from "../clock.ts";
import { ago } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { iconOfModality, Thumbnail } from "../parts/media.tsx";
import { at } from "../place.ts";
import { klieg } from "../session.ts";

const shownMax = 8;

/** Shows nothing for a new account, and while the jobs cannot be read. */
export function Recent() {
  const { asked } = useAsked(
    (signal) => klieg.value.jobs.list({ limit: shownMax, status: "succeeded" }, { signal }),
    [],
  );
  if (asked.phase !== "ready" || asked.value.items.length === 0) return null;
  return (
    <section class="recent" aria-labelledby="recent">
      <div class="panel-head">
        <h2 id="recent">Recent work</h2>
        <a href={at("jobs")}>All jobs</a>
      </div>
      <div class="gallery small">
        {asked.value.items.map((job) => (
          <a key={job.id} class="tile labeled" href={at(`jobs/${job.id}`)}>
            <span class="tile-picture">
              {job.asset === undefined ? (
                <span class="placeholder">
                  <Icon name={iconOfModality(job.modality)} size={28} />
                </span>
              ) : (
                <Thumbnail asset={job.asset} />
              )}
              <span class="tile-time">{ago(job.created_at, nowMs.value)}</span>
            </span>
            <span class="tile-name">{job.summary}</span>
          </a>
        ))}
      </div>
    </section>
  );
}
