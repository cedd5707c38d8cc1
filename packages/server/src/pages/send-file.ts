import type { FastifyReply } from "fastify";
import { matchesEtag } from "../http/etag.ts";
import type { DistFile } from "./dist-files.ts";

const YEAR_SECONDS = 31_536_000;

/** For files whose name contains a hash of their content. */
export const immutableCaching = `public, max-age=${YEAR_SECONDS}, immutable`;

export function sendFile(reply: FastifyReply, file: DistFile, caching: string) {
  reply.headers({ etag: file.etag, "cache-control": caching, vary: "accept-encoding" });
  if (matchesEtag(reply.request.headers["if-none-match"], file.etag)) return reply.status(304).send();
  if (file.encoding) reply.header("content-encoding", file.encoding);
  return reply.type(file.type).send(file.body);
}
