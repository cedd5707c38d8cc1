import { type EndpointName, endpoints, type Input, type Output } from "./endpoints.ts";
import { FoyerError } from "./foyer-error.ts";
import { type Connection, createRequest, type RequestOptions } from "./request.ts";
import { withRetries } from "./retry.ts";

/** Options of one call. */
export type CallOptions = Pick<RequestOptions, "signal"> & {
  /** Makes a create call safe to repeat: for 24 hours, the same key and body return the first response. */
  idempotencyKey?: string;
  /**
   * The state that the call changes: the `draftHash` of an agent, or `*` for any. If the agent has changed since, the
   * call rejects with `PRECONDITION_FAILED`.
   */
  ifMatch?: string | undefined;
};

/**
 * Every endpoint by its `operationId`: `client.updateAgent({ id, body: { name } })`. Path and query parameters are
 * properties of the same object, next to `body`. Responses are unwrapped from their `data` envelope. Every call rejects
 * with a FoyerError.
 */
export type ManagementClient = {
  [Name in EndpointName]: unknown extends Input<Name>
    ? (input?: undefined, options?: CallOptions) => Promise<Output<Name>>
    : Partial<Input<Name>> extends Input<Name>
      ? (input?: Input<Name>, options?: CallOptions) => Promise<Output<Name>>
      : (input: Input<Name>, options?: CallOptions) => Promise<Output<Name>>;
};

export type ManagementConnection = Connection & {
  /** An API key. It must never reach a visitor's browser. */
  apiKey?: string;
  /**
   * The maximum number of retries after 429 or 503. Each waits as long as `Retry-After` says. Default: 2; 0 disables
   * retries.
   */
  maxRetries?: number;
};

/**
 * Manages an organization: from anywhere with its API key, or with the signed-in user's session (`credentials:
 * "same-origin"`) on a page that the server itself serves.
 */
export function createManagementClient(connection: ManagementConnection): ManagementClient {
  const { maxRetries = 2 } = connection;
  const request = createRequest(connection);
  const authorization = connection.apiKey ? { authorization: `Bearer ${connection.apiKey}` } : {};
  const call =
    ([method, address]: (typeof endpoints)[EndpointName]) =>
    async (input: Record<string, unknown> = {}, { signal, idempotencyKey, ifMatch }: CallOptions = {}) => {
      const { body, ...rest } = input;
      const options = {
        method,
        body,
        signal,
        headers: {
          ...authorization,
          ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
          ...(ifMatch ? { "if-match": ifMatch === "*" ? "*" : `"${ifMatch}"` } : {}),
        },
      };
      const path = fillAddress(address, rest);
      const response = await withRetries(() => request(path, options), { maxRetries, signal });
      const answer = await response.json().catch((cause) => {
        throw signal?.aborted
          ? cause
          : new FoyerError(
              "UNREACHABLE",
              "The response is not JSON, so it did not come from a Foyer server. Check baseUrl.",
              { cause },
            );
      });
      return open(answer);
    };
  const calls = Object.entries(endpoints).map(([name, endpoint]) => [name, call(endpoint)]);
  return Object.fromEntries(calls);
}

/** Fills path parameters and puts the remaining values into the query. Undefined and null are left out. */
function fillAddress(address: string, values: Record<string, unknown>): string {
  const query = new URLSearchParams();
  const parameters = new Set(address.split("/").flatMap((part) => (part.startsWith(":") ? part.slice(1) : [])));
  for (const [name, value] of Object.entries(values)) {
    if (!parameters.has(name) && value !== undefined && value !== null) query.set(name, String(value));
  }
  const path = address.replace(/:(\w+)/g, (_, name: string) => encodeSegment(String(values[name])));
  return query.size > 0 ? `${path}?${query}` : path;
}

function encodeSegment(value: string): string {
  // URLs resolve these as path steps even when they are encoded, which would call another endpoint.
  if (value === "." || value === "..") throw new FoyerError("NOT_FOUND", `Nothing is named "${value}".`);
  return encodeURIComponent(value);
}

function open(answer: unknown) {
  const isEnvelope = typeof answer === "object" && answer !== null && "data" in answer && "error" in answer;
  if (!isEnvelope) return answer;
  const { error: _, ...rest } = answer;
  return "pagination" in rest ? rest : rest.data;
}
