/** Where programs are looked for; where nothing says it, as the system itself does. */
export function searchPath(): string {
  return process.env["PATH"] || "/usr/local/bin:/usr/bin:/bin";
}

/** What a program of the system's gets of the environment: where programs are, and no secret. */
export function programEnvironment(): { readonly PATH: string | undefined } {
  return { PATH: process.env["PATH"] };
}
