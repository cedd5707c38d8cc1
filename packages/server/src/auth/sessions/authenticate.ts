import type { Access, Role } from "@foyer/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import type { Secrets } from "../../encryption.ts";
import { AppError } from "../../errors.ts";
import type { ApiKeys } from "../api-keys/api-keys.ts";
import type { KeyOwner } from "../api-keys/store.ts";
import { isTokenFor, looksLikeToken } from "../conversation-token.ts";
import { isAtLeast, leastRole } from "../route-roles.ts";
import { isSameOrigin, requireSameOrigin } from "./same-origin.ts";
import type { Sessions, SignedIn } from "./sessions.ts";

/** On whose behalf a call is made. It came with an API key (`keyId`) or a member's session (`userId`); the other is null. */
export type Account = {
  organizationId: string;
  plan: string;
  /** for a key, that of the member who created it */
  role: Role;
  keyId: string | null;
  userId: string | null;
  /** the key's name, or the member's address */
  name: string;
};

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** public, and all the same for our own pages only: what hands out a session */
    sameOrigin?: boolean;
    /** the least role, by the role table */
    least?: Role;
  }
  interface FastifyRequest {
    account: Account | null;
    /** the conversation token that came as bearer on a `visitor` route; not checked yet, because the body says which conversation */
    conversationToken: string | null;
    signedIn: SignedIn | null;
  }
}

type Parts = { keys: ApiKeys; sessions: Sessions; secrets: Secrets; config: Pick<Config, "baseUrl"> };

/** Told of every call with a valid key, before anything else is said of it. Throws when it is one too many. */
export type CountCall = (account: Account, reply: FastifyReply) => Promise<void> | void;

/** Every route is for accounts only, unless its `config.access` says otherwise. */
export function useAuthentication(
  app: FastifyInstance,
  { keys, sessions, secrets, config }: Parts,
  countCall: CountCall,
): void {
  app.decorateRequest("account", null);
  app.decorateRequest("signedIn", null);
  app.decorateRequest("conversationToken", null);
  app.addHook("onRoute", (route) => {
    const { access } = route.config ?? {};
    if (access === "public" || access === "visitor" || access === "user") return;
    route.config = { ...route.config, least: leastRole(String(route.method), route.url) };
  });
  app.addHook("onRequest", async (request, reply) => {
    const { access = "account", sameOrigin } = request.routeOptions.config;
    if (request.is404) return;
    if (access === "public") {
      if (sameOrigin) requireSameOrigin(request, config);
      return;
    }
    if (access === "visitor") return admitVisitor(request, reply);
    const bearer = bearerOf(request);
    if (bearer) await admitBearer(request, reply, access, bearer);
    else await admitCookie(request, access);
  });

  /** Admits everybody. Credentials that are not valid give no rights, but do not keep a visitor from chatting either. */
  async function admitVisitor(request: FastifyRequest, reply: FastifyReply) {
    const bearer = bearerOf(request);
    if (bearer && looksLikeToken(bearer)) {
      request.conversationToken = bearer;
      return;
    }
    if (bearer) {
      const owner = await keys.authenticate(bearer);
      if (!owner) return;
      const account = accountOfKey(owner);
      await countCall(account, reply);
      request.account = account;
      return;
    }
    // A page of another origin must not act with the member's cookie.
    if (!request.headers.cookie || !isSameOrigin(request, config)) return;
    const signedIn = await sessions.authenticate(request.headers.cookie);
    if (signedIn?.membership) request.account = accountOfMember(signedIn, signedIn.membership);
  }

  async function admitBearer(request: FastifyRequest, reply: FastifyReply, access: Access, bearer: string) {
    if (access === "conversation" && looksLikeToken(bearer)) {
      if (isTokenFor(secrets, conversationIn(request), bearer)) return;
      throw unauthorized("This token is for another conversation.");
    }
    const owner = await keys.authenticate(bearer);
    if (!owner) throw unauthorized("This API key is not valid.");
    const account = accountOfKey(owner);
    const counting = countCall(account, reply);
    if (counting) await counting;
    if (access === "session" || access === "user") {
      throw new AppError("FORBIDDEN", "This is for people who are signed in, not for API keys.");
    }
    requireRole(account, request);
    request.account = account;
  }

  async function admitCookie(request: FastifyRequest, access: Access) {
    const signedIn = await sessions.authenticate(request.headers.cookie);
    if (!signedIn) throw unauthorized("Sign in, or send an API key as `Authorization: Bearer <key>`.");
    if (request.method !== "GET" && request.method !== "HEAD") requireSameOrigin(request, config);
    request.signedIn = signedIn;
    if (signedIn.membership) request.account = accountOfMember(signedIn, signedIn.membership);
    if (access === "user") return;
    if (!request.account) throw new AppError("FORBIDDEN", "You don't belong to an organization on this server.");
    requireRole(request.account, request);
  }
}

function requireRole({ role, keyId }: Account, request: FastifyRequest): void {
  const { least = "member" } = request.routeOptions.config;
  if (isAtLeast(role, least)) return;
  const whose = keyId === null ? "Your role is" : "The role of this key's creator is";
  throw new AppError("FORBIDDEN", `You need the ${least} role for this. ${whose} ${role}.`);
}

/** The account of a route that is for accounts only. */
export function accountOf(request: FastifyRequest): Account {
  if (!request.account) throw unauthorized("Send an API key as `Authorization: Bearer <key>`.");
  return request.account;
}

/** The session of a route that is for signed-in people only. */
export function signedInOf(request: FastifyRequest): SignedIn {
  if (!request.signedIn) throw unauthorized("Sign in first.");
  return request.signedIn;
}

/** Who sent a call, for what is remembered for that sender alone. */
export function credentialOf({ keyId, userId, organizationId }: Account): string {
  return keyId ?? `${userId}/${organizationId}`;
}

function accountOfKey({ keyId, organizationId, plan, role, name }: KeyOwner): Account {
  return { organizationId, plan, role, keyId, userId: null, name };
}

function accountOfMember({ user }: SignedIn, membership: NonNullable<SignedIn["membership"]>): Account {
  const { organizationId, plan, role } = membership;
  return { organizationId, plan, role, keyId: null, userId: user.id, name: user.email };
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
