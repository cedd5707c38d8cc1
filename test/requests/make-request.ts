import type { Operation } from "./check-answer.ts";
import { generateValue, type Resolve } from "./generate-value.ts";
import { brokenBody, mutateText, mutateValue } from "./mutate-value.ts";
import type { SampleOrganization } from "./populate.ts";
import type { Random } from "./random.ts";

export type Call = { method: string; path: string; operation: Operation };
export type Sent = { method: string; url: string; headers: Record<string, string>; body?: string };

/** A request for an operation: valid by its schema, or with an error in it. */
export function makeRequest(call: Call, sample: SampleOrganization, random: Random, resolve: Resolve): Sent {
  const isMutated = random.chance(0.5);
  const context = { random, resolve, ids: sample.ids };
  const query = new URLSearchParams();
  const headers: Record<string, string> = { ...credentials(call, sample, random) };
  let { path } = call;
  for (const { name, in: place, required, schema } of call.operation.parameters ?? []) {
    const isOdd = isMutated && random.chance(0.3);
    const value = () => (isOdd ? mutateText(random) : String(generateValue(schema, name, context)));
    if (place === "path")
      path = path.replace(`{${name}}`, encodeURIComponent(pathValue(call.path, name, sample, value)));
    else if (place === "query" && (required ? !isOdd : random.chance(0.4))) query.append(name, value());
    else if (place === "header" && !isOdd && random.chance(0.2)) headers[name] = "a-key";
  }
  const url = query.size > 0 ? `${path}?${query}` : path;
  const content = call.operation.requestBody?.content ?? {};
  const media = content["application/json"];
  if (!media?.schema) return { method: call.method, url, ...fileIn(Object.keys(content), headers, random) };
  const valid = withoutTheNetwork(call, generateValue(media.schema, "", context));
  headers["content-type"] = isMutated && random.chance(0.05) ? "text/plain" : "application/json";
  if (isMutated && random.chance(0.05)) return { method: call.method, url, headers, body: brokenBody(random) };
  const body = withoutTheNetwork(call, isMutated ? mutateValue(valid, random) : valid);
  return { method: call.method, url, headers, body: JSON.stringify(body) };
}

/** The file that an upload expects, or no body. */
function fileIn(mediaTypes: string[], headers: Sent["headers"], random: Random): Pick<Sent, "headers" | "body"> {
  const [mediaType] = mediaTypes;
  if (mediaType === undefined || random.chance(0.1)) return { headers };
  const body = random.pick([
    "Open from 9 to 18.",
    "<h1>Hours</h1>",
    "a;b\n1;2",
    "%PDF-1.7",
    "PK\u0003\u0004",
    "\0",
    " ",
  ]);
  return { headers: { ...headers, "content-type": mediaType }, body };
}

function pathValue(path: string, name: string, sample: SampleOrganization, other: () => string): string {
  const knownId = sample.pathIds[name] ?? sample.ids[name] ?? sample.pathIds[path.split("/")[1] ?? ""];
  return name === "id" || name in sample.ids || name in sample.pathIds ? (knownId ?? (other() || "x")) : other() || "x";
}

function credentials({ operation }: Call, sample: SampleOrganization, random: Random): Record<string, string> {
  if (random.chance(0.03)) return {};
  if (random.chance(0.03)) return { authorization: "Bearer wrong" };
  const security = JSON.stringify(Reflect.get(operation, "security") ?? []);
  if (security.includes("conversationToken") && random.chance(0.3)) return { authorization: `Bearer ${sample.token}` };
  if (security.includes("apiKey") && random.chance(0.6)) return { authorization: sample.key };
  return { cookie: sample.cookie, "sec-fetch-site": "same-origin" };
}

/** Removes providers without a base URL, because their real servers would be called. */
function withoutTheNetwork({ operation }: Call, body: unknown): unknown {
  const isProvider = operation.operationId === "putProvider" || operation.operationId === "testProvider";
  if (!isProvider || typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return { ...body, baseUrl: "http://127.0.0.1:1/v1" };
}
