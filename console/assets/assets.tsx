/** The gallery, where files can be dropped anywhere; the trash; and one asset by its address. */
import type { Asset, AssetPage } from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { count, playtime, words } from "../format.ts";
import { Filter, Filters, SearchFilter } from "../parts/filter.tsx";
import { Icon } from "../parts/icon.tsx";
import { Thumbnail } from "../parts/media.tsx";
import { More } from "../parts/more.tsx";
import { Empty, RequestView, Tiles } from "../parts/shown.tsx";
import { getParameter as askedFor, at, segments } from "../place.ts";
import { klieg, may } from "../session.ts";
import { type ComponentChildren, useState } from "../view.ts";
import { AssetView } from "./asset.tsx";
import { sendFiles, Uploads, uploads } from "./uploads.tsx";

const pageSize = 48;
const liveMs = 1_500;
const modalities = ["image", "video", "audio", "three_d"];
const sources = ["generation", "upload", "render", "import"];

export function Assets() {
  const [, id] = segments.value;
  return id === undefined || id === "" ? <Gallery /> : <AssetView id={id} />;
}

function query() {
  return {
    modality: askedFor("modality"),
    source: askedFor("source"),
    tag: askedFor("tag"),
    q: askedFor("q"),
    status: askedFor("status"),
    favorite: askedFor("favorite") === "true" ? true : undefined,
  };
}

function Gallery() {
  const filter = query();
  const key = JSON.stringify(filter);
  const done = uploads.value.filter(({ phase }) => phase === "done").length;
  const { asked, again } = useAsked(
    (signal) => klieg.value.assets.list({ limit: pageSize, ...filter }, { signal }),
    [key, done],
    ({ items }) => (items.some(({ status }) => status === "processing") ? liveMs : undefined),
  );
  const isTrash = filter.status === "trashed";
  return (
    <Drop>
      <header class="view-head">
        <h1>{isTrash ? "Trash" : "Assets"}</h1>
        {asked.phase === "ready" && <p class="hint">{count(asked.value.total)} in all</p>}
        <div class="actions">
          <a
            class="button plain"
            href={isTrash ? at("assets") : at("assets", { status: "trashed" })}
          >
            <Icon name={isTrash ? "assets" : "trash"} />
            {isTrash ? "Assets" : "Trash"}
          </a>
          {!isTrash && may("assets:write") && <UploadButton />}
        </div>
      </header>
      {isTrash ? (
        <p class="hint trash-words">Assets in the trash are deleted for good after 30 days.</p>
      ) : (
        <AssetFilters />
      )}
      <Uploads />
      <RequestView asked={asked} again={again} skeleton={<Tiles count={12} />}>
        {(page) => <Pictures key={key} page={page} filter={filter} />}
      </RequestView>
    </Drop>
  );
}

const filters = ["q", "modality", "source", "favorite", "tag"] as const;

function AssetFilters() {
  return (
    <Filters isUsed={filters.some((name) => askedFor(name) !== undefined)}>
      <SearchFilter name="q" label="Search" />
      <Filter name="modality" label="Kind" options={modalities} />
      <Filter name="source" label="From" options={sources} />
      <Filter
        name="favorite"
        label="Favourites"
        options={["true"]}
        labels={{ true: "Only these" }}
      />
      <SearchFilter name="tag" label="Tag" />
    </Filters>
  );
}

function UploadButton() {
  return (
    <label class="button">
      <Icon name="upload" />
      Upload
      <input
        class="unseen"
        type="file"
        multiple
        onChange={(event) => {
          sendFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </label>
  );
}

/** Files may be dropped anywhere on the view. */
function Drop({ children }: { children: ComponentChildren }) {
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same by keys.
    <div
      class={isOver ? "view drop over" : "view drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        sendFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
    </div>
  );
}

function Pictures({ page, filter }: { page: AssetPage; filter: ReturnType<typeof query> }) {
  const [older, setOlder] = useState<AssetPage>();
  if (page.items.length === 0) return <None isTrash={filter.status === "trashed"} />;
  const cursor = (older ?? page).next_cursor;
  const there = new Set(page.items.map(({ id }) => id));
  const shown = [...page.items, ...(older?.items ?? []).filter(({ id }) => !there.has(id))];
  const more = async () => {
    if (typeof cursor !== "string") return;
    const next = await klieg.value.assets.list({ limit: pageSize, ...filter, cursor });
    setOlder({ ...next, items: [...(older?.items ?? []), ...next.items] });
  };
  return (
    <>
      <div class="gallery">
        {shown.map((asset) => (
          <Tile key={asset.id} asset={asset} />
        ))}
      </div>
      <More hasMore={typeof cursor === "string"} more={more} />
    </>
  );
}

function None({ isTrash }: { isTrash: boolean }) {
  const isFiltered = Object.values(query()).some((value) => value !== undefined);
  if (isTrash) return <Empty icon="trash" title="The trash is empty" />;
  if (isFiltered)
    return (
      <Empty icon="search" title="No matching assets">
        <a class="button plain" href={at("assets")}>
          Show all
        </a>
      </Empty>
    );
  return (
    <Empty icon="assets" title="No assets yet">
      <p>What you make is kept here. You can also drop files of your own on this page.</p>
      <a class="button" href={at("create")}>
        Create something
      </a>
    </Empty>
  );
}

function Tile({ asset }: { asset: Asset }) {
  const { display_name: name, duration_seconds: seconds, favorite, status } = asset;
  return (
    <a class="tile labeled" data-row href={at(`assets/${asset.id}`)}>
      <span class="tile-picture">
        <Thumbnail asset={asset} />
        {typeof seconds === "number" && seconds > 0 && (
          <span class="tile-time">{playtime(seconds)}</span>
        )}
        {favorite && (
          <span class="tile-star">
            <Icon name="star" size={16} />
          </span>
        )}
      </span>
      <span class="tile-name">{name || words(status)}</span>
    </a>
  );
}
