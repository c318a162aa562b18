/**
 * OpenShot's importer of Final Cut Pro 7 XML, as Debian packages it, without its window: only the
 * file dialog and the application around the importer are replaced.
 */
import { execFileSync } from "node:child_process";

/** A clip as it stands in the project after the import; times in seconds. */
export interface ImportedClip {
  readonly title: string;
  readonly position: number;
  readonly start: number;
  readonly end: number;
  readonly layer: number;
  readonly alpha: readonly (readonly [frame: number, share: number])[];
}

const script = `
import json, os, sys
file, os.environ["HOME"], os.environ["QT_QPA_PLATFORM"] = sys.argv[1], sys.argv[2], "offscreen"
sys.path.insert(0, "/usr/lib/python3/dist-packages/openshot_qt")
from unittest.mock import MagicMock
from PyQt5.QtWidgets import QApplication, QFileDialog
application = QApplication([])
from classes import json_data, project_data, query, updates
from classes.importers import final_cut_pro
app = MagicMock()
app._tr = lambda text: text
app.get_settings().get = {
    "default-samplerate": 48000, "default-channel-layout": 3, "default-profile": "HD 720p 30 fps",
}.get
for module in (json_data, project_data, query, updates, final_cut_pro):
    module.get_app = lambda: app
app.project = project_data.ProjectDataStore()
app.updates = updates.UpdateManager()
app.updates.add_listener(app.project)
app.project._data["fps"] = {"num": 30, "den": 1}
QFileDialog.getOpenFileName = lambda *given: (file, "")
beside = os.path.dirname(file)
final_cut_pro.find_missing_file = lambda path: (os.path.join(beside, path), True, False)
final_cut_pro.import_xml()
clips = [{
    **{name: clip[name] for name in ("title", "position", "start", "end", "layer")},
    "alpha": [[point["co"]["X"], point["co"]["Y"]] for point in clip["alpha"]["Points"]],
} for clip in app.project.get("clips")]
print("RESULT " + json.dumps(clips))
`;

/** Imports the `sequence.xml` at a path, whose media are beside it. */
export function importIntoOpenShot(path: string, home: string): readonly ImportedClip[] {
  const said = execFileSync("/usr/bin/python3", ["-c", script, path, home], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 64 * 1024 ** 2,
  });
  const [, found = "[]"] = /^RESULT (.*)$/m.exec(said) ?? [];
  return JSON.parse(found);
}
