/** One asset: view or play it, name, tag, share, download and delete it. */
import type { Asset } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { bytes, moment, playtime, words } from "../format.ts";
import { attempt } from "../notices.ts";
import { Copy } from "../parts/copy.tsx";
import { Facts } from "../parts/facts.tsx";
import { Icon } from "../parts/icon.tsx";
import { Media } from "../parts/media.tsx";
import { Sharing } from "../parts/sharing.tsx";
import { RequestView, Rows } from "../parts/shown.tsx";
import { Status } from "../parts/status.tsx";
import { at, go } from "../place.ts";
import { klieg, may, refreshMe } from "../session.ts";
import { useState } from "../view.ts";

const liveMs = 1_000;

export function AssetView({ id }: { id: string }) {
  const { asked, again, put } = useAsked(
    (signal) => klieg.value.assets.get(id, { signal }),
    [id],
    ({ status }) => (status === "processing" ? liveMs : undefined),
  );
  return (
    <RequestView asked={asked} again={again} skeleton={<Rows count={5} />}>
      {(asset) => (
        <div class="view">
          <header class="view-head">
            <a class="button bare icon-only" href={at("assets")} aria-label="To all assets">
              <Icon name="back" />
            </a>
            <Name key={asset.display_name} asset={asset} put={put} />
            {asset.status !== "ready" && <Status of={asset.status} />}
            <Actions asset={asset} put={put} />
          </header>
          <div class="two">
            <section class="stage-column">
              <div class="card run">
                <div class="results">
                  <Media asset={asset} />
                </div>
              </div>
              <Words asset={asset} />
            </section>
            <section class="about-column">
              {asset.status === "ready" && may("shares") && (
                <Sharing target="assets" id={asset.id} />
              )}
              <Tags asset={asset} put={put} />
              <About asset={asset} />
            </section>
          </div>
        </div>
      )}
    </RequestView>
  );
}

interface Changed {
  asset: Asset;
  put: (asset: Asset) => void;
}

/** An editable heading. */
function Name({ asset, put }: Changed) {
  const [name, setName] = useState(asset.display_name);
  const save = () => {
    if (name.trim() === "" || name === asset.display_name) return setName(asset.display_name);
    attempt(
      async () => put(await klieg.value.assets.update(asset.id, { display_name: name })),
      "Renamed",
    );
  };
  return (
    <h1 class="renamed">
      <input
        aria-label="Name"
        value={name}
        disabled={!may("assets:write")}
        onInput={(event) => setName(event.currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
        }}
      />
    </h1>
  );
}

function Actions({ asset, put }: Changed) {
  const { id, favorite, status, signed_url: url } = asset;
  const { assets } = klieg.value;
  const favour = () => attempt(async () => put(await assets.update(id, { favorite: !favorite })));
  const restore = () => attempt(async () => put(await assets.restore(id)), "Restored");
  const remove = (permanent: boolean) =>
    attempt(
      async () => {
        await assets.delete(id, permanent ? { permanent } : {});
        void refreshMe();
        go(at("assets", permanent ? { status: "trashed" } : {}));
      },
      permanent ? "Deleted for good" : "Moved to the trash",
    );
  const isTrashed = status === "trashed";
  return (
    <div class="actions">
      {!isTrashed && (
        <button
          type="button"
          class={favorite ? "plain icon-only on" : "plain icon-only"}
          aria-label="Favourite"
          aria-pressed={favorite}
          onClick={favour}
        >
          <Icon name="star" />
        </button>
      )}
      {url !== "" && (
        <a
          class="button plain"
          href={url}
          download={asset.display_name}
          target="_blank"
          rel="noreferrer"
        >
          <Icon name="download" />
          Save
        </a>
      )}
      {isTrashed && (
        <button type="button" class="plain" onClick={restore}>
          <Icon name="repeat" />
          Restore
        </button>
      )}
      <button type="button" class="danger" onClick={() => remove(isTrashed)}>
        <Icon name="trash" />
        {isTrashed ? "Delete for good" : "Trash"}
      </button>
    </div>
  );
}

function Words({ asset }: { asset: Asset }) {
  const { prompt, enhanced_prompt: enhanced, failure_reason: failure } = asset;
  return (
    <>
      {failure && <p class="wrong">{failure}</p>}
      {prompt !== "" && (
        <div class="card panel">
          <h2>Prompt</h2>
          <p class="prose">{prompt}</p>
          {enhanced && <p class="hint prose">{enhanced}</p>}
        </div>
      )}
    </>
  );
}

function Tags({ asset, put }: Changed) {
  const [text, setText] = useState("");
  const save = (tags: readonly string[]) =>
    attempt(async () => put(await klieg.value.assets.update(asset.id, { tags })));
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        const tag = text.trim();
        if (tag !== "" && !asset.tags.includes(tag)) save([...asset.tags, tag]);
        setText("");
      }}
    >
      <h2>Tags</h2>
      <div class="tags">
        {asset.tags.map((tag) => (
          <span key={tag} class="tag">
            <a href={at("assets", { tag })}>{tag}</a>
            <button
              type="button"
              class="bare"
              aria-label={`Remove the tag ${tag}`}
              onClick={() => save(asset.tags.filter((one) => one !== tag))}
            >
              <Icon name="close" size={14} />
            </button>
          </span>
        ))}
        <input
          aria-label="Add a tag"
          placeholder="Add a tag"
          maxLength={64}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
    </form>
  );
}

function About({ asset }: { asset: Asset }) {
  const { width, height, duration_seconds: seconds, frame_rate: rate, job_id, render_id } = asset;
  return (
    <div class="card">
      <Facts
        facts={[
          ["Size", width && height ? `${width} \u00d7 ${height}` : undefined],
          ["Length", seconds ? playtime(seconds) : undefined],
          ["Frames a second", rate ?? undefined],
          ["Sound", asset.has_audio === true ? "Yes" : undefined],
          ["Bytes", bytes(asset.size_bytes)],
          ["Type", asset.mime_type],
          ["Made", moment(asset.created_at)],
          ["From", words(asset.source)],
          ["Model", asset.model],
          ["Job", job_id ? <a href={at(`jobs/${job_id}`)}>The job that made it</a> : undefined],
          ["Render", render_id ?? undefined],
          ["Asset", <Copy key="id" text={asset.id} label={asset.id} />],
        ]}
      />
    </div>
  );
}
