import manifest from "../package.json" with { type: "json" };

/** The release. */
export const version: string = manifest.version;
