/** Search path for programs; without one in the environment, the system's own default. */
export function searchPath(): string {
  return process.env["PATH"] || "/usr/local/bin:/usr/bin:/bin";
}

/** The environment of system programs: the search path, and no secret. */
export function programEnvironment(): { readonly PATH: string | undefined } {
  return { PATH: process.env["PATH"] };
}
