import { oneOf, type Problems, parseUrl, read, text } from "../config-values.ts";

/** Where traces are sent. */
export type TelemetrySettings = {
  url: string;
  protocol: "http/protobuf" | "http/json";
  sampler: { isParentBased: boolean; ratio: number };
  /** whether the texts of visitors, models and tools are exported */
  hasTexts: boolean;
};

type Environment = Record<string, string | undefined>;

const protocols = ["http/protobuf", "http/json"] as const;

const samplers = {
  always_on: { isParentBased: false, ratio: 1 },
  always_off: { isParentBased: false, ratio: 0 },
  traceidratio: { isParentBased: false, ratio: null },
  parentbased_always_on: { isParentBased: true, ratio: 1 },
  parentbased_always_off: { isParentBased: true, ratio: 0 },
  parentbased_traceidratio: { isParentBased: true, ratio: null },
} as const;
const samplerNames = Object.keys(samplers) as Array<keyof typeof samplers>;

/**
 * Reads where traces are sent, or null when no collector is configured. The names are those of OpenTelemetry's
 * specification. Its packages read the headers, certificates, the timeout, the compression, the service's name and the
 * resource's attributes themselves. Without a collector nothing is checked, because other programs use the variables.
 */
export function readTelemetry(environment: Environment, problems: Problems): TelemetrySettings | null {
  const get = <T>(name: string, parse: (value: string) => T, fallback: T) =>
    read(environment, problems, { name, parse, fallback });
  const isOff = get("OTEL_SDK_DISABLED", isTrue, false) || get("OTEL_TRACES_EXPORTER", text, "otlp") === "none";
  if (isOff) return null;
  const endpoint = get<string | null>("OTEL_EXPORTER_OTLP_ENDPOINT", parseUrl, null);
  const ownUrl = get<string | null>("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", parseUrl, null);
  const url = ownUrl ?? (endpoint === null ? null : `${endpoint.replace(/\/+$/, "")}/v1/traces`);
  if (url === null) return null;
  const protocol = get("OTEL_EXPORTER_OTLP_PROTOCOL", oneOf(protocols), "http/protobuf");
  const { isParentBased, ratio } = samplers[get("OTEL_TRACES_SAMPLER", oneOf(samplerNames), "parentbased_always_on")];
  return {
    url,
    protocol: get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", oneOf(protocols), protocol),
    sampler: { isParentBased, ratio: ratio ?? get("OTEL_TRACES_SAMPLER_ARG", parseRatio, 1) },
    // Any other value keeps the texts private, including those that only other programs know.
    hasTexts: get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", isTrue, false),
  };
}

const isTrue = (value: string) => value.toLowerCase() === "true";

function parseRatio(value: string): number {
  const ratio = Number(value);
  if (!/^[\d.]+$/.test(value) || !(ratio >= 0 && ratio <= 1)) throw new Error("a number from 0 to 1");
  return ratio;
}
