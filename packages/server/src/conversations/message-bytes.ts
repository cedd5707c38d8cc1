import { sql } from "kysely";

/** The size of a message's contents. Both databases report the size of a text in bytes without reading it. */
export const messageBytes = sql<number>`octet_length(content) + coalesce(octet_length(pieces), 0)
  + coalesce(octet_length(page), 0)`;
