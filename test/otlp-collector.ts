import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type OtlpCollector = Awaited<ReturnType<typeof startOtlpCollector>>;

type Value = string | number | boolean | null | Value[];
type ReceivedSpan = {
  traceId: string;
  spanId: string;
  /** empty for the first span of a trace */
  parentSpanId: string;
  name: string;
  /** 1: internal, 3: client */
  kind: number;
  startedAt: number;
  endedAt: number;
  /** 0: unset, 2: error */
  status: number;
  attributes: Record<string, Value>;
};

/** One request to the collector, decoded. */
export type TraceExport = {
  path: string;
  headers: IncomingHttpHeaders;
  resource: Record<string, Value>;
  spans: ReceivedSpan[];
};

/**
 * A real OTLP/HTTP server that decodes what it receives, as Protobuf or as JSON. `answer` may respond in another way, or
 * never.
 */
export async function startOtlpCollector(answer: (response: ServerResponse) => void = (response) => response.end()) {
  const exports: TraceExport[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isJson = request.headers["content-type"] === "application/json";
    const decoded = isJson ? fromJson(JSON.parse(body.toString())) : fromProtobuf(body);
    exports.push({ path: request.url ?? "", headers: request.headers, ...decoded });
    for (const check of waiting) check();
    answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    spans: () => exports.flatMap(({ spans }) => spans),
    /** Resolves with the first export, also if it has already arrived. */
    firstExport: () =>
      new Promise<TraceExport>((resolve) => {
        const check = () => {
          if (!exports[0]) return;
          waiting.delete(check);
          resolve(exports[0]);
        };
        waiting.add(check);
        check();
      }),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

type JsonValue = {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: number | string;
  doubleValue?: number;
  arrayValue?: { values: JsonValue[] };
};
type JsonAttributes = Array<{ key: string; value: JsonValue }>;
type JsonRequest = {
  resourceSpans: Array<{
    resource: { attributes: JsonAttributes };
    scopeSpans: Array<{
      spans: Array<{
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        kind: number;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        status: { code?: number };
        attributes: JsonAttributes;
      }>;
    }>;
  }>;
};

function fromJson({ resourceSpans }: JsonRequest): Pick<TraceExport, "resource" | "spans"> {
  const toValue = ({ stringValue, boolValue, intValue, doubleValue, arrayValue }: JsonValue): Value =>
    stringValue ??
    boolValue ??
    (intValue === undefined ? undefined : Number(intValue)) ??
    doubleValue ??
    arrayValue?.values.map(toValue) ??
    null;
  const toRecord = (attributes: JsonAttributes) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]));
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return {
    resource: toRecord(resourceSpans[0]?.resource.attributes ?? []),
    spans: spans.map((span) => ({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId ?? "",
      name: span.name,
      kind: span.kind,
      startedAt: toMilliseconds(BigInt(span.startTimeUnixNano)),
      endedAt: toMilliseconds(BigInt(span.endTimeUnixNano)),
      status: span.status.code ?? 0,
      attributes: toRecord(span.attributes),
    })),
  };
}

/** A field of a Protobuf message: a varint, eight or four bytes, or bytes. */
type Field = { number: number; value: bigint; bytes: Buffer };

/** Decodes an ExportTraceServiceRequest. The numbers are those of opentelemetry/proto/trace/v1/trace.proto. */
function fromProtobuf(body: Buffer): Pick<TraceExport, "resource" | "spans"> {
  const resourceSpans = messages(readFields(body), 1);
  const resource = resourceSpans.flatMap((fields) => messages(fields, 1))[0] ?? [];
  const scopeSpans = resourceSpans.flatMap((fields) => messages(fields, 2));
  return {
    resource: readAttributes(messages(resource, 1)),
    spans: scopeSpans.flatMap((fields) => messages(fields, 2)).map(readSpan),
  };
}

function readSpan(fields: Field[]): ReceivedSpan {
  const bytes = (number: number) => fields.find((field) => field.number === number)?.bytes ?? Buffer.alloc(0);
  const value = (number: number) => fields.find((field) => field.number === number)?.value ?? 0n;
  const status = messages(fields, 15)[0]?.find(({ number }) => number === 3)?.value ?? 0n;
  return {
    traceId: bytes(1).toString("hex"),
    spanId: bytes(2).toString("hex"),
    parentSpanId: bytes(4).toString("hex"),
    name: bytes(5).toString(),
    kind: Number(value(6)),
    startedAt: toMilliseconds(value(7)),
    endedAt: toMilliseconds(value(8)),
    status: Number(status),
    attributes: readAttributes(messages(fields, 9)),
  };
}

function readAttributes(attributes: Field[][]): Record<string, Value> {
  return Object.fromEntries(
    attributes.map((fields) => {
      const key = fields.find(({ number }) => number === 1)?.bytes.toString() ?? "";
      return [key, readValue(messages(fields, 2)[0] ?? [])];
    }),
  );
}

function readValue([field]: Field[]): Value {
  switch (field?.number) {
    case 1:
      return field.bytes.toString();
    case 2:
      return field.value === 1n;
    case 3:
      return Number(BigInt.asIntN(64, field.value));
    case 4:
      return field.bytes.readDoubleLE();
    case 5:
      return messages(readFields(field.bytes), 1).map(readValue);
    default:
      return null;
  }
}

const messages = (fields: Field[], number: number) =>
  fields.filter((field) => field.number === number).map(({ bytes }) => readFields(bytes));

function readFields(buffer: Buffer): Field[] {
  const fields: Field[] = [];
  let offset = 0;
  const readVarint = () => {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = buffer.readUInt8(offset++);
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
  };
  const readBytes = (length: number) => {
    offset += length;
    return buffer.subarray(offset - length, offset);
  };
  while (offset < buffer.length) {
    const tag = readVarint();
    const number = Number(tag >> 3n);
    const kind = Number(tag & 7n);
    if (kind === 0) fields.push({ number, value: readVarint(), bytes: Buffer.alloc(0) });
    else if (kind === 2) fields.push({ number, value: 0n, bytes: readBytes(Number(readVarint())) });
    else {
      const bytes = readBytes(kind === 1 ? 8 : 4);
      fields.push({ number, value: kind === 1 ? bytes.readBigUInt64LE() : BigInt(bytes.readUInt32LE()), bytes });
    }
  }
  return fields;
}

const toMilliseconds = (nanoseconds: bigint) => Number(nanoseconds / 1_000_000n);
