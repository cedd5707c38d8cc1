import {
  type AuditEntry,
  checkIdentityToken,
  exportVisitorData,
  getIdentitySecret,
  getWebhookSecret,
  getWebhookSigningSecret,
  listPendingLinks,
  putMessageDraft,
  readConversation,
  reportSeen,
  reportTyping,
  searchDocuments,
  updatePresence,
} from "@foyer/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { createBatchWriter } from "../../db/batch-writer.ts";
import type { AuditLogRow } from "../../db/tables/audit.ts";
import type { Deps } from "../../deps.ts";
import { newId } from "../../ids.ts";
import { findUser } from "../account-store.ts";
import type { Principal } from "../sessions/authenticate.ts";
import type { SignedIn } from "../sessions/sessions.ts";
import { findTargetName, insertEntries, listEntries, listOrganizationIds } from "./store.ts";

type Actor = Pick<AuditLogRow, "organizationId" | "actorType" | "actorId" | "actorName">;
type Action = Pick<AuditLogRow, "action" | "resource" | "resourceId" | "resourceName" | "ip"> & {
  details?: AuditLogRow["details"];
};
type User = { id: string; email: string };
type Target = { resource: string; id: string; name: string | null };

const MAX_LIMIT = 200;
const BATCH = 100;
/**
 * The maximum number of failed sign-ins that are recorded per user, hour and process, so that an attacker who guesses
 * passwords cannot fill the log.
 */
const FAILURES_PER_HOUR = 20;

/**
 * Calls that change nothing worth recording: marking a conversation as read, typing and presence, which are reported again and
 * again, drafts, which are saved while a member writes, and reads that need a body.
 */
const notRecorded: string[] = [
  readConversation.url,
  reportTyping.url,
  reportSeen.url,
  putMessageDraft.url,
  searchDocuments.url,
  checkIdentityToken.url,
  updatePresence.url,
];

/** Reads that are recorded because their response contains a secret, a sign-in link or all data of a person. */
const recordedReads: readonly string[] = [
  getIdentitySecret.url,
  getWebhookSecret.url,
  getWebhookSigningSecret.url,
  listPendingLinks.url,
  exportVisitorData.url,
];

export type AuditLog = ReturnType<typeof createAuditLog>;

/**
 * Records who changed what, when and from which IP address, and who read a secret. New values are left out, so the log
 * cannot contain secrets. An entry is written before the response is sent. If writing it fails, the change remains and
 * the failure goes to the server log.
 */
export function createAuditLog({ db, reads, log }: Pick<Deps, "db" | "reads" | "log">) {
  const write = createBatchWriter<AuditLogRow, void>(
    db,
    async (trx, rows) => {
      await insertEntries(trx, rows);
      return rows.map(() => undefined);
    },
    { maxItems: BATCH },
  );
  const failures = new RateLimiterMemory({ points: FAILURES_PER_HOUR, duration: 3_600 });

  async function record(actor: Actor, action: Action): Promise<void> {
    try {
      await write({ id: newId("log"), at: Date.now(), details: null, ...actor, ...action });
    } catch (error) {
      log.error(
        { err: error, action: action.action, resourceId: action.resourceId },
        "could not write an audit log entry",
      );
    }
  }

  async function recordEverywhere(user: User, action: string, ip: string): Promise<void> {
    const target = { resource: "users", id: user.id, name: user.email };
    for (const organizationId of await listOrganizationIds(db, user.id)) {
      await record(toUserActor(organizationId, user), toAction(action, target, ip));
    }
  }

  return {
    /**
     * Returns the name of the resource that a call is about to change. It is read before the handler runs, because the
     * handler may delete the resource.
     */
    targetOf: (principal: Principal, request: FastifyRequest): Promise<string | null> => {
      const { id } = request.params as { id?: string };
      return id === undefined
        ? Promise.resolve(null)
        : findTargetName(db, { organizationId: principal.organizationId, resource: readResource(request), id });
    },
    /** Records a call that changed something, or read a secret, in the caller's organization. */
    async recordCall(principal: Principal, request: FastifyRequest): Promise<void> {
      const { id, name, provider } = request.params as { id?: string; name?: string; provider?: string };
      const target = request.auditTarget;
      await record(toActor(principal), {
        action: `${request.method} ${request.routeOptions.url}`,
        resource: readResource(request),
        resourceId: id ?? name ?? provider ?? target?.id ?? null,
        resourceName: target?.name ?? name ?? provider ?? null,
        ip: request.ip,
        details: JSON.stringify(request.auditDetails ?? changedFields(request)),
      });
    },
    /** Records an action of a user on their own session or profile. */
    async recordOwnAction(
      { ip }: Pick<FastifyRequest, "ip">,
      { user, membership }: SignedIn,
      action: string,
    ): Promise<void> {
      if (!membership) return;
      const target = { resource: "users", id: user.id, name: user.email };
      await record(toUserActor(membership.organizationId, user), toAction(action, target, ip));
    },
    /** Records an action of a user in an organization in which they have no session. */
    async recordUserAction(
      user: User & { organizationId: string },
      { action, target, ip }: { action: string; target: Target; ip: string },
    ): Promise<void> {
      await record(toUserActor(user.organizationId, user), toAction(action, target, ip));
    },
    recordEverywhere,
    /** Records a failed sign-in in each organization of the user. Unknown email addresses are ignored. */
    async recordFailedSignIn(email: string, ip: string): Promise<void> {
      const address = email.trim().toLowerCase();
      const user = await findUser(db, address);
      if (!user) return;
      const isUnderLimit = await failures.consume(user.id).then(
        () => true,
        () => false,
      );
      if (isUnderLimit) await recordEverywhere({ id: user.id, email: address }, "sign-in-failed", ip);
    },
    async list(organizationId: string, query: { limit?: number; offset?: number }) {
      const limit = Math.min(query.limit ?? 50, MAX_LIMIT);
      const offset = query.offset ?? 0;
      const { rows, total } = await listEntries({ db, reads }, organizationId, { limit, offset });
      return { entries: rows.map(toEntry), pagination: { total, limit, offset } };
    },
  };
}

/**
 * Records every call that changes something in an organization. Routes that only read get no hook, so that they have no
 * overhead.
 */
export function registerAuditLog(app: FastifyInstance, audit: AuditLog): void {
  app.addHook("onRoute", (route) => {
    const method = String(route.method);
    const { access } = route.config ?? {};
    const isRead =
      (/GET|HEAD|OPTIONS/.test(method) && !(method === "GET" && recordedReads.includes(route.url))) ||
      notRecorded.includes(route.url);
    if (isRead || access === "public" || access === "user") return;
    // Sites have a URL instead of a name. The URLs of webhooks are not recorded, because they can contain secrets.
    const isSite = route.url.startsWith("/sources");
    const preHandler = async (request: FastifyRequest) => {
      const name = request.principal && (await audit.targetOf(request.principal, request));
      // The preview of a site creates nothing that could be named afterwards.
      request.auditTarget = { id: null, name: name ?? (isSite ? findText(request.body, "url") : null) };
    };
    const preSerialization = async (request: FastifyRequest, _: FastifyReply, payload: unknown) => {
      const name = request.auditTarget?.name ?? (isSite ? findText(payload, "url") : nameIn(payload));
      request.auditTarget = { id: findText(payload, "id") ?? findText(payload, "name"), name };
      return payload;
    };
    const onSend = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
      const { principal } = request;
      if (principal && reply.statusCode < 400 && !isEmptyRead(request, payload)) {
        await audit.recordCall(principal, request);
      }
      return payload;
    };
    route.preHandler = [...[route.preHandler ?? []].flat(), preHandler];
    route.preSerialization = [...[route.preSerialization ?? []].flat(), preSerialization];
    route.onSend = [...[route.onSend ?? []].flat(), onSend];
  });
  app.decorateRequest("auditTarget", null);
  app.decorateRequest("auditDetails", null);
}

declare module "fastify" {
  interface FastifyRequest {
    /** the resource that an audited call changes: its name, and its id when the call created it */
    auditTarget: { id: string | null; name: string | null } | null;
    /** facts that a handler adds to the entry of its call */
    auditDetails: AuditEntry["details"];
  }
}

/** A list of links that contains none reveals nothing. The dashboard requests it with every list of members. */
function isEmptyRead(request: FastifyRequest, payload: unknown): boolean {
  return request.method === "GET" && payload === "[]";
}

const MAX_CHANGED = 50;

/** The names of the settings that a call changes, without their values. */
function changedFields({ method, body }: FastifyRequest): AuditEntry["details"] {
  if (!/^(PATCH|PUT)$/.test(method) || body === null || typeof body !== "object" || body instanceof Uint8Array)
    return null;
  const changed = Object.keys(body).slice(0, MAX_CHANGED);
  return changed.length > 0 ? { changed } : null;
}

function readResource(request: FastifyRequest): string {
  return request.routeOptions.url?.split("/")[1] ?? "";
}

/** A text field of a response body, with or without the `data` envelope. */
function findText(payload: unknown, field: "id" | "name" | "email" | "title" | "url"): string | null {
  const body = payload as Record<string, unknown> | null;
  const data = body?.data as Record<string, unknown> | null | undefined;
  const value = body?.[field] ?? data?.[field];
  return typeof value === "string" ? value : null;
}

/** Invitations have an email address instead of a name, and documents a title. */
function nameIn(payload: unknown): string | null {
  return findText(payload, "name") ?? findText(payload, "email") ?? findText(payload, "title");
}

function toAction(action: string, { resource, id, name }: Target, ip: string): Action {
  return { action, resource, resourceId: id, resourceName: name, ip };
}

function toUserActor(organizationId: string, { id, email }: User): Actor {
  return { organizationId, actorType: "user", actorId: id, actorName: email };
}

function toActor({ organizationId, keyId, userId, name }: Principal): Actor {
  if (keyId === null) return toUserActor(organizationId, { id: userId ?? "", email: name });
  return { organizationId, actorType: "key", actorId: keyId, actorName: name };
}

function toEntry(row: AuditLogRow): AuditEntry {
  const { id, at, actorType, actorId, actorName, action, resource, resourceId, resourceName, ip, details } = row;
  return {
    id,
    at: new Date(at).toISOString(),
    actor: { type: actorType, id: actorId, name: actorName },
    action,
    resource,
    resourceId,
    targetName: resourceName,
    ip,
    details: details === null ? null : JSON.parse(details),
  };
}
