import { FoyerError } from "./foyer-error.ts";

/**
 * The body that Foyer sends to a form's webhook URL. Ignore duplicates by `submissionId`: a retry sends the same one
 * again.
 */
export type FormWebhook = {
  submissionId: string;
  toolId: string;
  toolName: string;
  conversationId: string | null;
  /** Field name to value. Files and images are data URLs. */
  formData: Record<string, unknown>;
  /** ISO 8601, UTC */
  submittedAt: string;
};

type WebhookRequest = {
  /** The form's secret, `whsec_…`, as the dashboard and `getWebhookSecret` show it. */
  secret: string;
  /** The request's headers: a `Headers` object, or Node's `request.headers`. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The raw body, exactly as received. A body that was parsed and serialized again does not match its signature. */
  body: string | Uint8Array | ArrayBuffer;
  /** How old the request may be, in seconds. Default: 300, as Standard Webhooks recommends. */
  toleranceSeconds?: number;
};

/**
 * Checks that a webhook was sent by the Foyer server that knows the secret, and that it is recent.
 * Implements the symmetric scheme of https://github.com/standard-webhooks/standard-webhooks with Web Crypto, so it runs
 * in Node, Deno, Bun and edge runtimes.
 *
 * @returns the parsed body
 * @throws FoyerError with the code `INVALID_SIGNATURE` and a message that says what is wrong
 */
export async function verifyWebhook<Payload = FormWebhook>(request: WebhookRequest): Promise<Payload> {
  const { secret, headers, body, toleranceSeconds = 300 } = request;
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature").split(" ");
  const age = Date.now() / 1_000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp)) throw invalidSignature("The header webhook-timestamp is not a Unix time in seconds.");
  if (Math.abs(age) > toleranceSeconds) {
    throw invalidSignature(
      `The webhook was sent ${Math.round(age)} seconds ago; at most ${toleranceSeconds} are accepted.`,
    );
  }
  if (typeof body !== "string" && !ArrayBuffer.isView(body) && !(body instanceof ArrayBuffer)) {
    throw invalidSignature("The body was already parsed. Pass the raw one, as a string or as bytes.");
  }
  const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const key = await importKey(secret);
  // While a secret is being rotated, the server signs with the old and the new one.
  for (const signature of signatures) {
    if (!signature.startsWith("v1,")) continue;
    const bytes = decodeBase64(signature.slice("v1,".length));
    if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, signed))) return JSON.parse(text);
  }
  throw invalidSignature("No signature matches. Check the secret, and that the body is the raw one.");
}

function readHeader(headers: WebhookRequest["headers"], name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : findHeader(headers, name);
  if (typeof value !== "string" || value === "") throw invalidSignature(`The header ${name} is missing.`);
  return value;
}

/** A framework can have a `Headers` class of its own. */
const isHeaders = (headers: WebhookRequest["headers"]): headers is Headers => typeof headers.get === "function";

/** Functions of cloud providers receive names in upper case, and some receive every value as a list. */
function findHeader(headers: Record<string, string | string[] | undefined>, name: string) {
  const found = Object.keys(headers).find((each) => each.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return Array.isArray(value) ? value[0] : value;
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.trim().replace(/^whsec_/, ""));
  if (!bytes || bytes.length === 0) throw invalidSignature('The secret must have the form "whsec_…".');
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

const invalidSignature = (message: string) => new FoyerError("INVALID_SIGNATURE", message);
