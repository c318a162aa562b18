import type { Traces } from "../../ports/traces.ts";

/** Undefined without a collector; the exporter's many files are then not even loaded. */
export async function openTraces(
  collectorUrl: string | undefined,
  part: string,
): Promise<Traces | undefined> {
  if (collectorUrl === undefined) return undefined;
  const { otlpTraces } = await import("./otlp-traces.ts");
  return otlpTraces(collectorUrl, part);
}
