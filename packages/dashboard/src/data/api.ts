import { type Connection, createManagementClient, createRequest } from "@foyer/sdk";
import { serverUrl } from "./server-address.ts";
import { guardedFetch } from "./session-guard.ts";

/** The server that served this page, with the session of the signed-in user. */
const connection: Connection = { baseUrl: serverUrl(), credentials: "same-origin", fetch: guardedFetch };

// No retries here: pages report a failed call immediately, and the query client decides what to retry.
export const api = createManagementClient({ ...connection, maxRetries: 0 });

/** For endpoints that respond with a stream or a file. */
export const request = createRequest(connection);
