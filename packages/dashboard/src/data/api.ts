import { type Connection, createManagementClient, createRequest } from "@foyer/sdk";

/** The server that this page came from, with the session of the signed-in user. */
const connection: Connection = { baseUrl: location.origin, credentials: "same-origin" };

// A page shows at once that the server refused a call; the query client decides what is repeated.
export const api = createManagementClient({ ...connection, maxRetries: 0 });

/** For what answers with a stream or a file. */
export const request = createRequest(connection);
