/** The files of a composition: text to edit, media to view, and new files dropped here. */
import type {
  Composition,
  CompositionFile,
  EffectiveTimeline,
} from "../../clients/typescript/src/generated/models.ts";
import { useAsked } from "../asked.ts";
import { bytes } from "../format.ts";
import { attempt } from "../notices.ts";
import { Icon } from "../parts/icon.tsx";
import { RequestView } from "../parts/shown.tsx";
import { getParameter as askedFor, refine } from "../place.ts";
import { klieg } from "../session.ts";
import { useState } from "../view.ts";
import { Editor } from "./editor.tsx";
import { FigmaImport } from "./figma-import.tsx";

interface FilesProps {
  composition: Composition;
  changed: () => void;
}

type Findings = EffectiveTimeline["diagnostics"];

export function Files({
  composition,
  changed,
  diagnostics,
}: FilesProps & { diagnostics: Findings }) {
  const files = composition.files ?? [];
  const wanted = askedFor("file") ?? "index.html";
  const shown = files.find(({ path }) => path === wanted) ?? files[0];
  return (
    <div class="card files">
      <FileList composition={composition} shown={shown} changed={changed} />
      {shown !== undefined &&
        (isText(shown) ? (
          <Text
            key={shown.path}
            composition={composition}
            file={shown}
            changed={changed}
            diagnostics={diagnostics.filter(({ path }) => path === shown.path)}
          />
        ) : (
          <MediaFile key={shown.path} composition={composition} file={shown} />
        ))}
    </div>
  );
}

function isText({ mime_type: type }: CompositionFile): boolean {
  return /^text\/|json|javascript|xml/.test(type);
}

interface FileListProps extends FilesProps {
  shown: CompositionFile | undefined;
}

function FileList({ composition, shown, changed }: FileListProps) {
  const { files = [] } = composition;
  return (
    <div class="file-list">
      <ul>
        {files.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              class="bare"
              data-row
              aria-current={file === shown ? "true" : undefined}
              onClick={() => refine({ file: file.path, element: undefined })}
            >
              <Icon name={isText(file) ? "file" : "film"} size={16} />
              <span>{file.path}</span>
            </button>
          </li>
        ))}
      </ul>
      <FileActions composition={composition} changed={changed} />
    </div>
  );
}

function FileActions({ composition: { id }, changed }: FilesProps) {
  const [isImporting, setImporting] = useState(false);
  const put = (chosen: readonly File[]) =>
    attempt(async () => {
      for (const file of chosen) await klieg.value.compositions.putFile(id, file.name, file);
      changed();
    });
  const add = () => {
    const path = prompt("The new file's path, for example styles/look.css")?.trim();
    if (path === undefined || path === "") return;
    attempt(async () => {
      await klieg.value.compositions.putFile(id, path, new Blob([""]));
      changed();
      refine({ file: path });
    });
  };
  return (
    <>
      <div class="actions">
        <button type="button" class="plain small" onClick={add}>
          <Icon name="plus" size={16} />
          New
        </button>
        <label class="button plain small">
          <Icon name="upload" size={16} />
          Add
          <input
            class="unseen"
            type="file"
            multiple
            onChange={(event) => put([...(event.currentTarget.files ?? [])])}
          />
        </label>
        <button type="button" class="plain small" onClick={() => setImporting(true)}>
          <Icon name="download" size={16} />
          Import from Figma
        </button>
      </div>
      {isImporting && (
        <FigmaImport composition={id} close={() => setImporting(false)} onImport={changed} />
      )}
    </>
  );
}

interface FileProps extends FilesProps {
  file: CompositionFile;
}

function Text({ composition, file, changed, diagnostics }: FileProps & { diagnostics: Findings }) {
  const { id } = composition;
  const { asked, again } = useAsked(
    async (signal) => (await klieg.value.compositions.getFile(id, file.path, { signal })).text(),
    [id, file.path],
    undefined,
    composition.revision,
  );
  return (
    <RequestView asked={asked} again={again}>
      {(text) => (
        <Editor
          composition={composition}
          file={file}
          text={text}
          changed={changed}
          diagnostics={diagnostics}
        />
      )}
    </RequestView>
  );
}

function MediaFile({ composition, file }: { composition: Composition; file: CompositionFile }) {
  const { asked, again } = useAsked(
    (signal) =>
      klieg.value.compositions.signedUrls(composition.id, { paths: [file.path] }, { signal }),
    [composition.id, file.path, file.etag],
  );
  return (
    <div class="media-file">
      <RequestView asked={asked} again={again}>
        {({ files }) => <FileContent url={files[0]?.url ?? ""} file={file} />}
      </RequestView>
      <p class="hint">
        {file.mime_type} · {bytes(file.size_bytes)}
      </p>
    </div>
  );
}

function FileContent({ url, file }: { url: string; file: CompositionFile }) {
  const { mime_type: type, path } = file;
  if (type.startsWith("image/")) return <img src={url} alt={path} />;
  // biome-ignore lint/a11y/useMediaCaption: a clip of the person's own.
  if (type.startsWith("video/")) return <video src={url} controls aria-label={path} />;
  // biome-ignore lint/a11y/useMediaCaption: the same.
  if (type.startsWith("audio/")) return <audio src={url} controls aria-label={path} />;
  return <Icon name="file" size={40} />;
}
