import type { Access } from "@foyer/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../errors.ts";
import type { Secrets } from "../root-secret.ts";
import type { ApiKeys } from "./api-keys.ts";
import { isTokenFor, looksLikeToken } from "./conversation-token.ts";

/** On whose behalf a call is made. */
export type Account = { organizationId: string; plan: string };

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    account: Account | null;
  }
}

/** Every route is for accounts only, unless its `config.access` says otherwise. */
export function useAuthentication(app: FastifyInstance, { keys, secrets }: { keys: ApiKeys; secrets: Secrets }): void {
  app.decorateRequest("account", null);
  app.addHook("onRequest", async (request) => {
    const access = request.routeOptions.config.access ?? "account";
    if (access === "public" || request.is404) return;
    const bearer = bearerOf(request);
    if (!bearer) throw unauthorized("Send an API key as `Authorization: Bearer <key>`.");
    if (access === "conversation" && looksLikeToken(bearer)) {
      if (isTokenFor(secrets, conversationIn(request), bearer)) return;
      throw unauthorized("This token is for another conversation.");
    }
    const owner = await keys.authenticate(bearer);
    if (!owner) throw unauthorized("This API key is not valid.");
    request.account = { organizationId: owner.organizationId, plan: owner.plan };
  });
}

/** The account of a route that is for accounts only. */
export function accountOf(request: FastifyRequest): Account {
  if (!request.account) throw unauthorized("Send an API key as `Authorization: Bearer <key>`.");
  return request.account;
}

function unauthorized(message: string) {
  return new AppError("UNAUTHORIZED", message);
}

function bearerOf(request: FastifyRequest) {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
}

function conversationIn(request: FastifyRequest) {
  const params = request.params as { id?: string; conversationId?: string };
  return params.conversationId ?? params.id ?? "";
}
