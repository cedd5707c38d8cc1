import type { SpanExporter } from "@opentelemetry/sdk-trace";

/**
 * Creates the exporter of traces. The collector belongs to the operator, who sets its address in the environment. It is
 * often a private address, and no request can change it, so like the mail server it is not subject to the rules for the
 * addresses of tools and webhooks. Headers, certificates, the timeout and the compression are read from the
 * environment by the package.
 */
export async function createTraceExporter({
  url,
  protocol,
}: {
  url: string;
  protocol: "http/protobuf" | "http/json";
}): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter({ url });
}
