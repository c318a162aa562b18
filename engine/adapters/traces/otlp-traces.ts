/** Exports spans over OTLP (HTTP, JSON), in batches, by OpenTelemetry's own exporter. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { version } from "../../../config/version.ts";
import type { Traces } from "../../ports/traces.ts";

const bounds = { timeoutMs: 1_000, batchMs: 1_000, spansMax: 2_048 };
const kinds = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL } as const;

/**
 * `part` names the part of the service that records the spans. Further headers that a collector
 * needs stand in OTEL_EXPORTER_OTLP_HEADERS, which the exporter reads by itself.
 */
export function otlpTraces(collectorUrl: string, part: string): Traces {
  const exporter = new OTLPTraceExporter({
    url: `${collectorUrl}/v1/traces`,
    timeoutMillis: bounds.timeoutMs,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      "service.name": "klieg",
      "service.version": version,
      "klieg.part": part,
    }),
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        scheduledDelayMillis: bounds.batchMs,
        exportTimeoutMillis: bounds.timeoutMs,
        maxQueueSize: bounds.spansMax,
      }),
    ],
  });
  const tracer = provider.getTracer("klieg", version);
  return {
    record({ name, kind, parent, startMs, endMs, attributes, isFailed }) {
      const [traceId = "", spanId = "", flags = ""] = parent.split("-");
      const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], startTime: new Date(startMs), attributes },
        trace.setSpanContext(ROOT_CONTEXT, caller),
      );
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(endMs));
    },
    // Spans that the collector no longer accepts are lost.
    close: () => provider.shutdown().catch(() => undefined),
  };
}
