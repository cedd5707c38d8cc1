import type { Access, Role } from "@foyer/contract";
import { isAtLeast, minimumRole } from "@foyer/contract/rules/roles";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import type { Encryption } from "../../encryption.ts";
import { AppError } from "../../errors.ts";
import type { ApiKeys } from "../api-keys/api-keys.ts";
import type { KeyOwner } from "../api-keys/store.ts";
import { isLinkToken, isTokenFor, looksLikeToken, readLinkVersion } from "../conversation-token.ts";
import { isSameOrigin, requireSameOrigin } from "./same-origin.ts";
import type { Sessions, SignedIn } from "./sessions.ts";

/** The caller of the management API: an API key (`keyId`) or a signed-in member (`userId`). The other field is null. */
export type Principal = {
  organizationId: string;
  plan: string;
  /** for a key, the role of the member who created it */
  role: Role;
  keyId: string | null;
  userId: string | null;
  /** the key's name, or the member's email address */
  name: string;
};

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** public, but only for pages of this server, because it issues a session */
    sameOrigin?: boolean;
    /** the lowest role that may call the route */
    minimumRole?: Role;
  }
  interface FastifyRequest {
    principal: Principal | null;
    /** the bearer token sent to a `visitor` route; unverified, because the body names the conversation */
    conversationToken: string | null;
    /**
     * on a `conversation` route, the version in the token of an email's link, which the conversation has to confirm;
     * null for any other credential
     */
    linkVersion: number | null;
    signedIn: SignedIn | null;
  }
}

type Parts = { keys: ApiKeys; sessions: Sessions; encryption: Encryption; config: Pick<Config, "baseUrl"> };

/** Counts a call with a valid key before other checks. @throws when the plan's rate limit is exceeded */
export type CountCall = (principal: Principal, reply: FastifyReply) => Promise<void> | void;

/** Counts a request of a signed-in user. @throws when the user sends too many */
type CountSession = (userId: string, request: FastifyRequest) => Promise<void>;

/** Requires a principal for every route, unless its `config.access` says otherwise. */
export function registerAuthentication(
  app: FastifyInstance,
  { keys, sessions, encryption, config }: Parts,
  { countCall, countSession }: { countCall: CountCall; countSession: CountSession },
): void {
  app.decorateRequest("principal", null);
  app.decorateRequest("signedIn", null);
  app.decorateRequest("conversationToken", null);
  app.decorateRequest("linkVersion", null);
  app.addHook("onRoute", (route) => {
    const { access } = route.config ?? {};
    if (access === "public" || access === "visitor" || access === "user") return;
    route.config = { ...route.config, minimumRole: minimumRole(String(route.method), route.url) };
  });
  // Not an async hook, because most requests need no promise: they have a key that was looked up a moment ago, or no
  // credentials.
  app.addHook("onRequest", (request, reply, done) => {
    const admission = request.is404 ? undefined : admit(request, reply);
    if (admission) return admission;
    done();
  });

  function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | void {
    const { access = "account", sameOrigin } = request.routeOptions.config;
    if (access === "public") {
      return sameOrigin ? requireSameOrigin(request, config) : undefined;
    }
    const bearer = readBearer(request);
    if (access === "visitor") {
      return bearer || request.headers.cookie ? admitVisitor(request, reply, bearer) : undefined;
    }
    return bearer ? admitBearer(request, reply, { access, bearer }) : admitCookie(request, access);
  }

  /** Admits every request. Invalid credentials grant nothing, but they do not prevent a visitor from chatting. */
  async function admitVisitor(request: FastifyRequest, reply: FastifyReply, bearer: string | undefined) {
    if (bearer && looksLikeToken(bearer)) {
      request.conversationToken = bearer;
      return;
    }
    if (bearer) {
      const owner = await keys.authenticate(bearer);
      if (!owner) return;
      const principal = toKeyPrincipal(owner);
      await countCall(principal, reply);
      request.principal = principal;
      return;
    }
    // A page of another origin must not use the member's cookie.
    if (!request.headers.cookie || !isSameOrigin(request, config)) return;
    const signedIn = await sessions.authenticate(request.headers.cookie);
    if (signedIn?.membership) request.principal = toMemberPrincipal(signedIn, signedIn.membership);
  }

  function admitBearer(
    request: FastifyRequest,
    reply: FastifyReply,
    { access, bearer }: { access: Access; bearer: string },
  ) {
    if (access === "conversation" && looksLikeToken(bearer)) {
      request.linkVersion = readLinkVersion(encryption, readConversationId(request), bearer);
      if (request.linkVersion !== null || isTokenFor(encryption, readConversationId(request), bearer)) return undefined;
      throw unauthorizedError(
        isLinkToken(bearer)
          ? "This link has expired or belongs to another conversation."
          : "This conversation token belongs to another conversation.",
      );
    }
    const found = keys.authenticate(bearer);
    return found instanceof Promise
      ? found.then((owner) => admitKey(request, reply, { access, owner }))
      : admitKey(request, reply, { access, owner: found });
  }

  function admitKey(
    request: FastifyRequest,
    reply: FastifyReply,
    { access, owner }: { access: Access; owner: KeyOwner | null },
  ) {
    if (!owner) throw unauthorizedError("This API key is not valid.");
    const principal = toKeyPrincipal(owner);
    const finish = () => {
      if (access === "session" || access === "user") {
        throw new AppError("FORBIDDEN", "API keys cannot call this endpoint. Sign in instead.");
      }
      requireRole(principal, request);
      request.principal = principal;
    };
    const counting = countCall(principal, reply);
    return counting ? counting.then(finish) : finish();
  }

  async function admitCookie(request: FastifyRequest, access: Access) {
    const signedIn = await sessions.authenticate(request.headers.cookie);
    if (!signedIn) throw unauthorizedError("Sign in, or send an API key as `Authorization: Bearer <key>`.");
    if (request.method !== "GET" && request.method !== "HEAD") requireSameOrigin(request, config);
    await countSession(signedIn.user.id, request);
    request.signedIn = signedIn;
    if (signedIn.membership) request.principal = toMemberPrincipal(signedIn, signedIn.membership);
    if (access === "user") return;
    if (!request.principal) throw new AppError("FORBIDDEN", "You don't belong to an organization on this server.");
    requireRole(request.principal, request);
  }
}

function requireRole({ role, keyId }: Principal, request: FastifyRequest): void {
  const { minimumRole: required = "member" } = request.routeOptions.config;
  if (isAtLeast(role, required)) return;
  const subject = keyId === null ? "Your role is" : "The role of this key's creator is";
  throw new AppError("FORBIDDEN", `You need the ${required} role for this. ${subject} ${role}.`);
}

/** The principal of a route that requires one. */
export function requirePrincipal(request: FastifyRequest): Principal {
  if (!request.principal) throw unauthorizedError("Send an API key as `Authorization: Bearer <key>`.");
  return request.principal;
}

/** The session of a route that requires one. */
export function requireSignedIn(request: FastifyRequest): SignedIn {
  if (!request.signedIn) throw unauthorizedError("Sign in first.");
  return request.signedIn;
}

/** Returns an id of the credential that sent a call, as the scope of idempotency keys. */
export function credentialId({ keyId, userId, organizationId }: Principal): string {
  return keyId ?? `${userId}/${organizationId}`;
}

function toKeyPrincipal({ keyId, organizationId, plan, role, name }: KeyOwner): Principal {
  return { organizationId, plan, role, keyId, userId: null, name };
}

function toMemberPrincipal({ user }: SignedIn, membership: NonNullable<SignedIn["membership"]>): Principal {
  const { organizationId, plan, role } = membership;
  return { organizationId, plan, role, keyId: null, userId: user.id, name: user.email };
}

function unauthorizedError(message: string) {
  return new AppError("UNAUTHORIZED", message);
}

function readBearer(request: FastifyRequest) {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
}

function readConversationId(request: FastifyRequest) {
  const params = request.params as { id?: string; conversationId?: string };
  return params.conversationId ?? params.id ?? "";
}
