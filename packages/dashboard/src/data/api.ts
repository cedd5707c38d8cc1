import { type Connection, createManagementClient, createRequest } from "@foyer/sdk";

/** The server that this page came from, with the session of whoever is signed in. */
const connection: Connection = { baseUrl: location.origin, credentials: "same-origin" };

export const api = createManagementClient(connection);

/** For what answers with a stream or a file. */
export const request = createRequest(connection);
