/** What a program of the system's gets of the environment: where programs are, and no secret. */
export function programEnvironment(): { readonly PATH: string | undefined } {
  return { PATH: process.env["PATH"] };
}
