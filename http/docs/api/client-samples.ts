/** Calls of the clients for the reference, which `clients/generator` writes from the contract. */
import { readFileSync } from "node:fs";

interface ClientSample {
  readonly typescript: string;
  readonly python: string;
  readonly go: string;
}

const file = new URL("generated/client-samples.json", import.meta.url);

/** Samples by the operation that they send, such as `GET /jobs/{id}`. */
export const clientSamples: Readonly<Record<string, ClientSample | undefined>> = JSON.parse(
  readFileSync(file, "utf8"),
);
