const TIMEOUT_MS = 120_000;

/** The management API of a server, for commands that need no database. */
export type ManagementClient = {
  /** @returns the status and the parsed body. @throws when the server cannot be reached or sends no JSON */
  call(method: "GET" | "POST", path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
};

/** @param url the server's address, which can have a path. The operator chose it, so it may be a private one. */
export function createManagementClient(url: string, key: string): ManagementClient {
  const base = url.replace(/\/+$/, "");
  return {
    async call(method, path, body) {
      const response = await fetch(base + path, {
        method,
        // A key must not follow a redirect to another server.
        redirect: "error",
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: unknown) => {
        const { message, cause } = error instanceof Error ? error : new Error(String(error));
        throw new Error(`Could not reach ${base}: ${cause instanceof Error ? cause.message : message}.`);
      });
      const text = await response.text();
      try {
        return { status: response.status, body: JSON.parse(text) };
      } catch {
        throw new Error(
          `${base}${path} answered ${response.status} without JSON. Is this the address of a Foyer server?`,
        );
      }
    },
  };
}
