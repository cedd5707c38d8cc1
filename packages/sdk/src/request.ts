import { FoyerError, readError } from "./foyer-error.ts";

export type Connection = {
  /** The server's address, such as `https://chat.example.com`. */
  baseUrl: string;
  /** Another `fetch` than the global one. */
  fetch?: typeof fetch;
  /** Whether cookies go with it, on pages of the server itself; never by default. */
  credentials?: "omit" | "same-origin";
};

export type RequestOptions = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A conversation's token. */
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Lets the request end by itself when the page goes away. */
  keepalive?: boolean;
};

export type Request = (path: string, options?: RequestOptions) => Promise<Response>;

/** Calls one server. Rejects with a FoyerError, or as `fetch` does when the signal aborts. */
export function createRequest({ baseUrl, fetch: ownFetch, credentials = "omit" }: Connection): Request {
  const base = baseUrl.replace(/\/+$/, "");
  return async (path, { method = "GET", token, body, headers, signal, keepalive = false } = {}) => {
    const send = ownFetch ?? globalThis.fetch;
    const response = await send(base + path, {
      method,
      keepalive,
      credentials,
      headers: {
        ...headers,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((cause) => {
      throw signal?.aborted ? cause : new FoyerError("UNREACHABLE", "The server could not be reached.", { cause });
    });
    if (!response.ok) throw await readError(response);
    return response;
  };
}
