import { secretPlaceholder, secretsIn, urlPlaceholder } from "@foyer/contract/rules/url-template";
import type { ToolRow } from "../../db/tables.ts";
import { invalid } from "../../errors.ts";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { percentEncode } from "./percent-encode.ts";

/**
 * A call that cannot be made as requested. `message` is for the model, which may repeat it to visitors; `problem` is
 * for members.
 */
export class ToolError extends Error {
  readonly problem: string;

  constructor(message: string, problem = message) {
    super(message);
    this.name = "ToolError";
    this.problem = problem;
  }
}

export type HttpRequest = {
  url: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  headers: Record<string, string>;
  body: string | null;
  /** `url` and `headers` with `{{NAME}}` in place of secrets */
  maskedUrl: string;
  maskedHeaders: Record<string, string>;
  /** the values of the inserted secrets */
  secrets: string[];
};

/**
 * Checks a template before it is saved: http or https, a host that does not depend on input, placeholders only in path
 * and query, and a URL that may be called as far as can be judged without DNS.
 * @throws 400 for `httpUrl`
 */
export function checkHttpUrl(httpUrl: string, outbound: Pick<Outbound, "checkUrl">): void {
  try {
    const { origin, path, query } = parseTemplate(httpUrl);
    outbound.checkUrl(origin + (path + query).replace(urlPlaceholder, "x"));
  } catch (error) {
    if (error instanceof ToolError || error instanceof OutboundError) throw invalid("httpUrl", error.message, "format");
    throw error;
  }
}

/**
 * Builds the request of an HTTP tool for one input. Input only ever fills one path segment, a query key or value, or
 * part of a body. Scheme, host, port and path depth come from the template, whatever the input is.
 * @param secretFor returns the value of a secret for a host (with its port unless that is the default); null when the
 * secret does not exist or may not be sent there
 * @throws ToolError when the input or a secret cannot be used
 */
export async function buildRequest(
  tool: Pick<ToolRow, "httpUrl" | "httpMethod" | "httpHeaders">,
  input: Record<string, unknown>,
  secretFor: (name: string, host: string) => Promise<string | null>,
): Promise<HttpRequest> {
  const template = parseTemplate(tool.httpUrl ?? "");
  const headers = Object.entries<string>(JSON.parse(tool.httpHeaders ?? "{}"));
  for (const [name, value] of headers) checkHeaderTemplate(name, value);
  const method = tool.httpMethod ?? "GET";

  const names = secretsIn([template.path, template.query, ...headers.map(([, value]) => value)]);
  const secrets = await fetchSecrets(names, template.host, secretFor);
  const masks = new Map(names.map((name) => [name, `{{${name}}}`]));

  const unused = unusedInputs(template, input);
  const hasBody = method === "POST" || method === "PUT";
  const address = (secret: (name: string) => string) =>
    template.origin +
    fillPath(template.path, input, secret) +
    fillQuery(template.query, input, secret, hasBody ? [] : unused);
  const sentHeaders = fillHeaders(headers, secrets, hasBody);
  return {
    url: address((name) => percentEncode(secrets.get(name) ?? "")),
    method,
    headers: sentHeaders,
    body: hasBody ? writeBody(unused, sentHeaders["content-type"]) : null,
    maskedUrl: address((name) => masks.get(name) ?? ""),
    maskedHeaders: fillHeaders(headers, masks, hasBody),
    secrets: [...secrets.values()],
  };
}

/**
 * The inputs that the tool's schema declares: its properties, and others only if it has `additionalProperties`. A model
 * can be talked into adding a name that the receiver would take for one of the owner's.
 */
export function declaredInputs(inputSchema: string, input: Record<string, unknown>): Record<string, unknown> {
  const { properties, additionalProperties } = JSON.parse(inputSchema) as {
    properties?: Record<string, unknown>;
    additionalProperties?: unknown;
  };
  if (additionalProperties) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(properties ?? {}, name)));
}

type Template = { origin: string; host: string; path: string; query: string };

const maxSecrets = 10;
const notSetUp = "The tool is not configured correctly.";

/**
 * Stricter than the URL parser, so that nothing that the parser tolerates (tabs, backslashes, missing slashes) can move
 * a boundary.
 */
function parseTemplate(httpUrl: string): Template {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (/[\0-\x1f\x7f\\]/.test(httpUrl)) {
    throw new ToolError("The URL must not contain control characters or backslashes.");
  }
  const [, base = "", path = "", query = "", fragment = ""] =
    /^(https?:\/\/[^/?#]+)([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(httpUrl) ?? [];
  if (/[{}]/.test(base + fragment)) {
    throw new ToolError(
      "Placeholders are allowed only in the path and the query. Host, port and everything else are fixed.",
    );
  }
  const url = URL.parse(base);
  if (!url) throw new ToolError("The URL must start with http:// or https:// and a host.");
  if (url.username || url.password) throw new ToolError("The URL must not contain a user name or password.");
  if (/[{}]/.test((path + query).replace(urlPlaceholder, ""))) {
    throw new ToolError(
      "The URL contains a brace outside a placeholder such as {city} or {{API_KEY}}. Write it as %7B or %7D.",
    );
  }
  return { origin: url.origin, host: url.host, path: path || "/", query };
}

/** A misspelled placeholder must not be sent as text. */
function checkHeaderTemplate(name: string, value: string) {
  if (value.replace(secretPlaceholder, "").includes("{{")) {
    throw new ToolError(
      notSetUp,
      `The header ${name} contains {{ without a secret's name and }} after it. Names consist of letters, digits and _.`,
    );
  }
}

async function fetchSecrets(
  names: string[],
  host: string,
  secretFor: (name: string, host: string) => Promise<string | null>,
): Promise<Map<string, string>> {
  // Limited because each secret is searched for, in several spellings, in the whole response.
  if (names.length > maxSecrets) throw new ToolError(notSetUp, `A tool can use at most ${maxSecrets} secrets.`);
  const values = await Promise.all(
    names.map(async (name): Promise<[string, string]> => {
      const value = await secretFor(name, host);
      if (value !== null) return [name, value];
      throw new ToolError(
        `The secret ${name} is not available to this tool.`,
        `There is no secret named ${name}, or its hosts do not include ${host}. A secret without hosts is available only to tools that an admin saved.`,
      );
    }),
  );
  return new Map(values);
}

function unusedInputs({ path, query }: Template, input: Record<string, unknown>): [string, unknown][] {
  const used = new Set([...(path + query).matchAll(urlPlaceholder)].map(([, , param]) => param));
  const fixed = new Set([...new URLSearchParams(query).keys()].map(plainName));
  return Object.entries(input).filter(([name]) => !used.has(name) && !fixed.has(plainName(name)));
}

/** Many servers treat `Key`, `key[]` and `key` as the same parameter. */
function plainName(name: string): string {
  return name.trim().replace(/\[.*$/s, "").toLowerCase();
}

function fillPath(path: string, input: Record<string, unknown>, secret: (name: string) => string): string {
  return path
    .split("/")
    .map((template) => {
      const names: string[] = [];
      const segment = template.replace(urlPlaceholder, (_match, secretName?: string, param?: string) => {
        names.push(secretName ?? param ?? "");
        return secretName ? secret(secretName) : percentEncode(scalarText(param ?? "", input));
      });
      if (names.length === 0) return segment;
      if (segment === "") throw new ToolError(`${names.join(", ")} must not be empty.`);
      // The URL parser would treat these, in either spelling, as a step to another folder.
      if (/^(\.|%2e){1,2}$/i.test(segment)) throw new ToolError(`${names.join(", ")} must not be "." or "..".`);
      return segment;
    })
    .join("/");
}

function fillQuery(
  query: string,
  input: Record<string, unknown>,
  secret: (name: string) => string,
  more: [string, unknown][],
): string {
  const filled = query
    .slice(1)
    .split("&")
    .flatMap((pair) => fillPair(pair, input, secret))
    .join("&");
  const pairs = toPairs(more).map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`);
  const all = [filled.replace(/&$/, ""), ...pairs].filter((part) => part !== "").join("&");
  if (all !== "") return `?${all}`;
  return query === "" ? "" : "?";
}

/** A pair that contains a list is repeated for each item, as for inputs without a placeholder. */
function fillPair(pair: string, input: Record<string, unknown>, secret: (name: string) => string): string[] {
  const params = [...pair.matchAll(urlPlaceholder)].flatMap(([, , param]) => (param === undefined ? [] : [param]));
  const lists = [...new Set(params)].filter((name) => Object.hasOwn(input, name) && Array.isArray(input[name]));
  if (lists.length > 1) throw new ToolError(`${lists.join(" and ")} must not both be lists.`);
  const [list] = lists;
  const fill = (values: Record<string, unknown>) =>
    pair.replace(urlPlaceholder, (_match, secretName?: string, param?: string) =>
      secretName ? secret(secretName) : percentEncode(scalarText(param ?? "", values)),
    );
  if (list === undefined) return [fill(input)];
  const items = input[list] as unknown[];
  if (!items.every(isScalar)) throw new ToolError(`${list} must be a list of text or numbers.`);
  return items.map((item) => fill({ ...input, [list]: item }));
}

/** A JSON object, unless the tool's own header declares a form. */
function writeBody(inputs: [string, unknown][], contentType: string | undefined): string {
  const isForm = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? "");
  return isForm ? new URLSearchParams(toPairs(inputs)).toString() : JSON.stringify(Object.fromEntries(inputs));
}

/** As in queries and forms: a list repeats its name, an object becomes JSON, and null is left out. */
function toPairs(inputs: [string, unknown][]): [string, string][] {
  return inputs.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== null && item !== undefined)
      .map((item): [string, string] => [name, typeof item === "object" ? JSON.stringify(item) : String(item)]),
  );
}

function scalarText(name: string, input: Record<string, unknown>): string {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (value === undefined || value === null) throw new ToolError(`${name} is missing.`);
  if (!isScalar(value)) throw new ToolError(`${name} must be text, a number, true or false.`);
  return String(value);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function fillHeaders(
  templates: [string, string][],
  values: Map<string, string>,
  hasBody: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {
    "user-agent": "Foyer/0.1",
    accept: "application/json, text/*;q=0.9, */*;q=0.1",
    ...(hasBody ? { "content-type": "application/json" } : {}),
  };
  for (const [name, template] of templates) {
    const value = template.replace(secretPlaceholder, (_match, secret: string) => values.get(secret) ?? "");
    // The characters that a header can carry: tab, visible ASCII and Latin-1.
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new ToolError(
        notSetUp,
        `The header ${name} contains a character that headers cannot carry, such as a line break. Check its secrets, too.`,
      );
    }
    headers[name.toLowerCase()] = value;
  }
  // Responses are not decompressed, so a compressed one would be unreadable.
  return { ...headers, "accept-encoding": "identity" };
}
