import { type EndpointName, endpoints, type Input, type Output } from "./endpoints.ts";
import { FoyerError } from "./foyer-error.ts";
import { type Connection, createRequest, type RequestOptions } from "./request.ts";

/** What a call takes besides its input. */
export type CallOptions = Pick<RequestOptions, "signal"> & {
  /** Makes a creating call safe to repeat: the same key and body give the first answer again, for 24 hours. */
  idempotencyKey?: string;
};

/**
 * Every endpoint of the server by its name: `client.updateAgent({ id, body: { name } })`. Parameters of the address and of the query stand side by
 * side, `body` beside them; the answer comes without its envelope. Every call rejects with a FoyerError.
 */
export type ManagementClient = {
  [Name in EndpointName]: unknown extends Input<Name>
    ? (input?: undefined, options?: CallOptions) => Promise<Output<Name>>
    : Partial<Input<Name>> extends Input<Name>
      ? (input?: Input<Name>, options?: CallOptions) => Promise<Output<Name>>
      : (input: Input<Name>, options?: CallOptions) => Promise<Output<Name>>;
};

/**
 * Manages an account: from anywhere with its key (`apiKey`), or on a page of the server itself with the session of whoever is signed in
 * (`credentials: "same-origin"`). A key must never reach a visitor's browser.
 */
export function createManagementClient(connection: Connection & { apiKey?: string }): ManagementClient {
  const request = createRequest(connection);
  const authorization = connection.apiKey ? { authorization: `Bearer ${connection.apiKey}` } : {};
  const call =
    ([method, address]: (typeof endpoints)[EndpointName]) =>
    async (input: Record<string, unknown> = {}, { signal, idempotencyKey }: CallOptions = {}) => {
      const { body, ...rest } = input;
      const response = await request(fillAddress(address, rest), {
        ...{ method, body, signal },
        headers: { ...authorization, ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}) },
      });
      const answer = await response.json().catch((cause) => {
        throw signal?.aborted ? cause : new FoyerError("UNREACHABLE", "What answered is not the server.", { cause });
      });
      return open(answer);
    };
  const calls = Object.entries(endpoints).map(([name, endpoint]) => [name, call(endpoint)]);
  return Object.fromEntries(calls);
}

/** Puts what the address names in its place, and the rest into the query; what is undefined is left out. */
function fillAddress(address: string, values: Record<string, unknown>): string {
  const query = new URLSearchParams();
  const parameters = new Set(address.split("/").flatMap((part) => (part.startsWith(":") ? part.slice(1) : [])));
  for (const [name, value] of Object.entries(values)) {
    if (!parameters.has(name) && value !== undefined && value !== null) query.set(name, String(value));
  }
  const path = address.replace(/:(\w+)/g, (_, name: string) => segment(String(values[name])));
  return query.size > 0 ? `${path}?${query}` : path;
}

function segment(value: string): string {
  // Even encoded, an address takes these for steps between folders, and another endpoint would be called.
  if (value === "." || value === "..") throw new FoyerError("NOT_FOUND", `Nothing is named "${value}".`);
  return encodeURIComponent(value);
}

function open(answer: unknown) {
  const isEnvelope = typeof answer === "object" && answer !== null && "data" in answer && "error" in answer;
  if (!isEnvelope) return answer;
  const { error: _, ...rest } = answer;
  return "pagination" in rest ? rest : rest.data;
}
