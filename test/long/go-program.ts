/** The Go of this machine: on the search path, or where upstream's archive puts it. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/go/bin"];

/** Throws if there is none; `config/setup test` installs one. */
export function findGo(): { readonly go: string; readonly gofmt: string } {
  const folder = folders.find((one) => existsSync(join(one, "go")));
  if (folder === undefined) throw new Error("Go is missing; run sh config/setup test.");
  return { go: join(folder, "go"), gofmt: join(folder, "gofmt") };
}

/** An environment in which Go fetches neither modules nor another version of itself. */
export const goEnvironment = {
  ...process.env,
  GOFLAGS: "-mod=mod",
  GOPROXY: "off",
  GOTOOLCHAIN: "local",
};
