import { createManagementClient } from "@foyer/sdk";

/** The server that this page came from, with the session of whoever is signed in. */
export const api = createManagementClient({ baseUrl: location.origin, credentials: "same-origin" });
