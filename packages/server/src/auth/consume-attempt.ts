import type { FastifyRequest } from "fastify";

/**
 * Counts one attempt against the limits of the client and of the email address; passwords and links have separate
 * limits. @throws 429
 */
export type ConsumeAttempt = (request: FastifyRequest, email?: string, kind?: "password" | "link") => Promise<void>;
