import {
  findPlaceholderNames,
  headerPlaceholder,
  isBound,
  isReservedInput,
  urlPlaceholder,
} from "@foyer/contract/rules/url-template";
import type { ToolRow } from "../../db/tables.ts";
import { invalid } from "../../errors.ts";
import { isExactNumber, isScalar, parseExactJson, toOrderedObject, toScalarText } from "../../exact-json.ts";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { type BoundSources, boundValue } from "./bound-values.ts";
import { encodeHeader, percentEncode } from "./percent-encode.ts";
import { ToolError } from "./tool-error.ts";

export type HttpRequest = {
  url: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  headers: Record<string, string>;
  body: string | null;
  /** `url`, `headers` and `body` with `{{NAME}}` in place of secrets */
  maskedUrl: string;
  maskedHeaders: Record<string, string>;
  maskedBody: string | null;
  /** the values of the inserted secrets, and the visitor's token */
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

/** The sources of a request besides the input. */
export type RequestSources = {
  /**
   * returns the value of a secret for a host (with its port unless that is the default); null when the secret does not
   * exist or may not be sent there
   */
  secretFor(name: string, host: string): Promise<string | null>;
  /** the turn that bound values come from */
  context: BoundSources;
  /** the value of the `Foyer-Visitor` header for a host; null sends none */
  visitorTokenFor(host: string): Promise<string | null>;
};

type HttpTool = Pick<ToolRow, "httpUrl" | "httpMethod" | "httpHeaders" | "httpBody">;

/**
 * Builds the request of an HTTP tool for one input. Input only ever fills one path segment, a query key or value, or
 * part of a body. Scheme, host, port and path depth come from the template, whatever the input is, and bound values
 * such as `{{visitor.id}}` come from the turn alone.
 * @throws ToolError when the input, a secret or a bound value cannot be used
 */
export async function buildRequest(
  tool: HttpTool,
  input: Record<string, unknown>,
  { secretFor, context, visitorTokenFor }: RequestSources,
): Promise<HttpRequest> {
  const template = parseTemplate(tool.httpUrl ?? "");
  const headers = Object.entries<string>(JSON.parse(tool.httpHeaders ?? "{}"));
  for (const [name, value] of headers) checkHeaderTemplate(name, value);
  const method = tool.httpMethod ?? "GET";
  const hasBody = method === "POST" || method === "PUT";
  const httpBody = hasBody ? tool.httpBody : null;

  const names = findPlaceholderNames([
    template.path,
    template.query,
    ...headers.map(([, value]) => value),
    httpBody ?? "",
  ]);
  const secretNames = names.filter((name) => !isBound(name));
  const secrets = await fetchSecrets(secretNames, template.host, secretFor);
  const token = await visitorTokenFor(template.host);
  const secretValue = (name: string) => secrets.get(name) ?? "";
  const maskFor = (name: string) => `{{${name}}}`;

  const unused = findUnusedInputs(template, input);
  const address = (secret: (name: string) => string) => {
    const resolve = (name: string) => (isBound(name) ? percentEncode(boundText(name, context)) : secret(name));
    const query = fillQuery(template.query, { input, secret: resolve, more: hasBody ? [] : unused });
    return template.origin + fillPath(template.path, input, resolve) + query;
  };
  const headersWith = (secret: (name: string) => string, visitorToken: string) => {
    const resolve = (name: string) => (isBound(name) ? encodeHeader(boundText(name, context)) : secret(name));
    const filled = fillHeaders(headers, resolve, hasBody);
    return token === null ? filled : { ...filled, "foyer-visitor": visitorToken };
  };
  const sentHeaders = headersWith(secretValue, token ?? "");
  const bodyWith = (secret: (name: string) => string) => {
    if (!hasBody) return null;
    if (httpBody === null) return writeBody(toOrderedObject(unused), sentHeaders["content-type"]);
    const resolve = (name: string) => (isBound(name) ? resolveBoundValue(name, context) : secret(name));
    return writeBody(fillBody(parseExactJson(httpBody), input, resolve), sentHeaders["content-type"]);
  };
  return {
    url: address((name) => percentEncode(secretValue(name))),
    method,
    headers: sentHeaders,
    body: bodyWith(secretValue),
    maskedUrl: address(maskFor),
    maskedHeaders: headersWith(maskFor, "(a token that is valid for 60 s)"),
    maskedBody: bodyWith(maskFor),
    secrets: [...secrets.values(), ...(token === null ? [] : [token])],
  };
}

/** @throws ToolError for a fact about the visitor that nothing in this turn proves */
function resolveBoundValue(name: string, context: BoundSources): unknown {
  const bound = boundValue(name, context);
  if ("refusal" in bound) throw new ToolError(bound.refusal.message, bound.refusal.problem);
  return bound.value;
}

/** The value as text, for a URL or a header. */
function boundText(name: string, context: BoundSources): string {
  const value = resolveBoundValue(name, context) ?? "";
  if (isScalar(value)) return toScalarText(value);
  throw new ToolError(notSetUp, `{{${name}}} is an object or a list, which fits only into a body.`);
}

/**
 * Returns the inputs that the tool's schema declares: its properties, and others only if it has `additionalProperties`.
 * Otherwise, a visitor could talk the model into adding a name that the receiver takes for a parameter of the tool.
 * Names such as `visitor.id` are never inputs.
 */
export function declaredInputs(inputSchema: string, input: Record<string, unknown>): Record<string, unknown> {
  const { properties, additionalProperties } = JSON.parse(inputSchema) as {
    properties?: Record<string, unknown>;
    additionalProperties?: unknown;
  };
  const isDeclared = (name: string) => Boolean(additionalProperties) || Object.hasOwn(properties ?? {}, name);
  return toOrderedObject(Object.entries(input).filter(([name]) => isDeclared(name) && !isReservedInput(name)));
}

type Template = { origin: string; host: string; path: string; query: string };

const maxSecrets = 10;
const notSetUp = "The tool is not configured correctly.";

/**
 * Parses more strictly than the URL parser, so that nothing that the URL parser tolerates (tabs, backslashes, missing
 * slashes) can move a boundary.
 */
function parseTemplate(httpUrl: string): Template {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
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
  if (value.replace(headerPlaceholder, "").includes("{{")) {
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
  // Limited because the whole response is searched for each secret in several spellings.
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

function findUnusedInputs({ path, query }: Template, input: Record<string, unknown>): [string, unknown][] {
  const used = new Set([...(path + query).matchAll(urlPlaceholder)].map(([, , param]) => param));
  const fixed = new Set([...new URLSearchParams(query).keys()].flatMap(plainNames));
  return Object.entries(input).filter(([name]) => !used.has(name) && !plainNames(name).some((one) => fixed.has(one)));
}

/**
 * Returns the names under which servers may read a parameter. Many treat `Key`, `key[]` and `key` as the same name, and
 * some decode a name more than once. PHP also reads `a.b`, `a b` and an unterminated `a[b` as `a_b`, and ignores what
 * follows a NUL.
 */
function plainNames(name: string): string[] {
  const decoded = decodeAscii(decodeAscii(name)).replace(/\0.*$/s, "");
  const plain = decoded.trim().toLowerCase().replace(/[. ]/g, "_");
  return [plain.replace(/\[.*$/s, ""), plain.replaceAll("[", "_")];
}

/** Unlike decodeURIComponent, also decodes a text that contains invalid escapes, as lenient servers do. */
function decodeAscii(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function fillPath(path: string, input: Record<string, unknown>, secret: (name: string) => string): string {
  return path
    .split("/")
    .map((template) => {
      const names: string[] = [];
      const segment = template.replace(urlPlaceholder, (_match, secretName?: string, param?: string) => {
        names.push(secretName ?? param ?? "");
        return secretName ? secret(secretName) : percentEncode(formatScalar(param ?? "", input));
      });
      if (names.length === 0) return segment;
      if (segment === "") throw new ToolError(`${names.join(", ")} must not be empty.`);
      // The URL parser would resolve these segments, in either spelling, as a step to another folder.
      if (/^(\.|%2e){1,2}$/i.test(segment)) throw new ToolError(`${names.join(", ")} must not be "." or "..".`);
      return segment;
    })
    .join("/");
}

function fillQuery(
  query: string,
  {
    input,
    secret,
    more,
  }: { input: Record<string, unknown>; secret: (name: string) => string; more: [string, unknown][] },
): string {
  const filled = fillPairs(query.slice(1).split("&"), input, secret).join("&");
  const pairs = toPairs(more).map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`);
  const all = [filled.replace(/&$/, ""), ...pairs].filter((part) => part !== "").join("&");
  if (all !== "") return `?${all}`;
  return query === "" ? "" : "?";
}

/**
 * A key that comes from an input must not repeat one of the tool's own keys, because the receiver could then use the
 * input's value.
 */
function fillPairs(pairs: string[], input: Record<string, unknown>, secret: (name: string) => string): string[] {
  const hasOpenKey = (pair: string) => [...pairKey(pair).matchAll(urlPlaceholder)].some(([, , param]) => param);
  const own = new Set(pairs.filter((pair) => pair !== "" && !hasOpenKey(pair)).flatMap(pairKeys));
  return pairs.flatMap((pair) => {
    const filled = fillPair(pair, input, secret);
    const taken = hasOpenKey(pair) ? filled.find((one) => pairKeys(one).some((key) => own.has(key))) : undefined;
    if (taken === undefined) return filled;
    throw new ToolError(`The input must not name the parameter ${pairKeys(taken)[0]}, which the tool sets itself.`);
  });
}

const pairKey = (pair: string) => pair.split("=", 1)[0] ?? "";
const pairKeys = (pair: string) => plainNames(new URLSearchParams(pair).keys().next().value ?? "");

/**
 * A pair that contains a list is repeated for each item, as for inputs without a placeholder. A pair whose inputs were
 * not given is left out: those that the tool requires have been checked.
 */
function fillPair(pair: string, input: Record<string, unknown>, secret: (name: string) => string): string[] {
  const params = [...pair.matchAll(urlPlaceholder)].flatMap(([, , param]) => (param === undefined ? [] : [param]));
  const isGiven = (name: string) => Object.hasOwn(input, name) && input[name] !== undefined && input[name] !== null;
  if (params.length > 0 && !params.some(isGiven)) return [];
  const lists = [...new Set(params)].filter((name) => Object.hasOwn(input, name) && Array.isArray(input[name]));
  if (lists.length > 1) throw new ToolError(`${lists.join(" and ")} must not both be lists.`);
  const [list] = lists;
  const fill = (values: Record<string, unknown>) =>
    pair.replace(urlPlaceholder, (_match, secretName?: string, param?: string) =>
      secretName ? secret(secretName) : percentEncode(formatScalar(param ?? "", values)),
    );
  if (list === undefined) return [fill(input)];
  const items = input[list] as unknown[];
  if (!items.every(isScalar)) throw new ToolError(`${list} must be a list of text or numbers.`);
  return items.map((item) => fill({ ...input, [list]: item }));
}

/** Writes JSON unless the tool's own `content-type` header declares a form. */
function writeBody(body: unknown, contentType: string | undefined): string {
  const isForm = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? "");
  return isForm ? new URLSearchParams(toPairs(Object.entries(body ?? {}))).toString() : JSON.stringify(body);
}

/** As in queries and forms, a list repeats its name, an object becomes JSON, and null is left out. */
function toPairs(inputs: [string, unknown][]): [string, string][] {
  return inputs.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== null && item !== undefined)
      .map((item): [string, string] => [name, isScalar(item) ? toScalarText(item) : JSON.stringify(item)]),
  );
}

function formatScalar(name: string, input: Record<string, unknown>): string {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (value === undefined || value === null) throw new ToolError(`${name} is missing.`);
  if (!isScalar(value)) throw new ToolError(`${name} must be text, a number, true or false.`);
  return toScalarText(value);
}

function fillHeaders(
  templates: [string, string][],
  resolve: (name: string) => string,
  hasBody: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {
    "user-agent": "Foyer/0.1",
    accept: "application/json, text/*;q=0.9, */*;q=0.1",
    ...(hasBody ? { "content-type": "application/json" } : {}),
  };
  for (const [name, template] of templates) {
    const value = template.replace(headerPlaceholder, (_match, name: string) => resolve(name));
    // The characters that a header can carry: tab, visible ASCII and Latin-1.
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new ToolError(
        notSetUp,
        `The header ${name} contains a character that headers cannot carry, such as a line break. Check its secrets, too.`,
      );
    }
    headers[name.toLowerCase()] = value;
  }
  // Decompressing small responses costs more time than it saves.
  return { ...headers, "accept-encoding": "identity" };
}

/** Marks a property that is left out because its input was not given. */
const OMITTED = Symbol("omitted");

/**
 * Fills the template of a body. A string that is nothing but a placeholder becomes the value with its type, and an
 * input that was not given leaves its property out. Within a longer string, values become text. Nothing can add a
 * property.
 * @param resolve the value of a secret or a bound name
 */
function fillBody(template: unknown, input: Record<string, unknown>, resolve: (name: string) => unknown): unknown {
  const filled = fill(template, input, resolve);
  return filled === OMITTED ? null : filled;
}

function fill(template: unknown, input: Record<string, unknown>, resolve: (name: string) => unknown): unknown {
  if (typeof template === "string") return fillText(template, input, resolve);
  if (typeof template !== "object" || template === null || isExactNumber(template)) return template;
  if (Array.isArray(template)) {
    return template.map((item) => fill(item, input, resolve)).filter((item) => item !== OMITTED);
  }
  const entries = Object.entries(template).map(([name, value]) => [name, fill(value, input, resolve)] as const);
  return toOrderedObject(entries.filter(([, value]) => value !== OMITTED));
}

function fillText(template: string, input: Record<string, unknown>, resolve: (name: string) => unknown): unknown {
  const given = (name: string) => (Object.hasOwn(input, name) ? input[name] : undefined);
  const [only] = template.matchAll(urlPlaceholder);
  if (only?.[0] === template) {
    const [, name, param = ""] = only;
    if (name !== undefined) return resolve(name);
    const value = given(param);
    return value === undefined ? OMITTED : value;
  }
  return template.replace(urlPlaceholder, (_match, name?: string, param = "") => {
    const value = name === undefined ? given(param) : (resolve(name) ?? "");
    if (value === undefined || value === null) throw new ToolError(`${param} is missing.`);
    return isScalar(value) ? toScalarText(value) : JSON.stringify(value);
  });
}
