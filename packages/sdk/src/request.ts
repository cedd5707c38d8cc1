import { FoyerError, readError } from "./foyer-error.ts";
import { toJson } from "./to-json.ts";

export type Connection = {
  /** The server's address, such as `https://chat.example.com`. */
  baseUrl: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
  /** `same-origin` sends cookies, for pages that the server itself serves. Default: `omit`. */
  credentials?: "omit" | "same-origin";
  /**
   * Returns the proof of the signed-in user, which calls with a conversation's token send along. Agents with
   * `requireIdentity` ask for it in every call.
   */
  identity?: () => UserProof | null;
};

/** What a site's server has signed for its user: a `userToken`, or a `userId` with its `userHash`. */
export type UserProof = { userToken?: string | undefined; userId?: string | undefined; userHash?: string | undefined };

export type RequestOptions = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A conversation's token. */
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Lets the request finish after the page is closed. */
  keepalive?: boolean;
};

export type Request = (path: string, options?: RequestOptions) => Promise<Response>;

/** Calls one server. Rejects with a FoyerError, or with the signal's reason when it aborts. */
export function createRequest({ baseUrl, fetch: ownFetch, credentials = "omit", identity }: Connection): Request {
  const base = baseUrl.replace(/\/+$/, "");
  return async (path, { method = "GET", token, body, headers, signal, keepalive = false } = {}) => {
    const send = ownFetch ?? globalThis.fetch;
    const response = await send(base + path, {
      method,
      keepalive,
      credentials,
      headers: {
        ...headers,
        ...(token ? { authorization: `Bearer ${token}`, ...proofHeaders(identity?.()) } : {}),
        ...(body === undefined
          ? {}
          : { "content-type": isFile(body) ? "application/octet-stream" : "application/json" }),
      },
      ...(body === undefined ? {} : { body: isFile(body) ? body : (toJson(body) ?? null) }),
      ...(signal ? { signal } : {}),
    }).catch((cause) => {
      throw signal?.aborted ? cause : new FoyerError("UNREACHABLE", "The server could not be reached.", { cause });
    });
    if (!response.ok) throw await readError(response);
    return response;
  };
}

function proofHeaders(proof: UserProof | null | undefined): Record<string, string> {
  const { userToken, userId, userHash } = proof ?? {};
  if (userToken) return { "foyer-user-token": userToken };
  // A header cannot contain every character of an id.
  return userId && userHash ? { "foyer-user-id": encodeURIComponent(userId), "foyer-user-hash": userHash } : {};
}

/** A file is sent unchanged. Any other body is sent as JSON. */
function isFile(body: unknown): body is Blob | Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array || body instanceof Blob;
}
