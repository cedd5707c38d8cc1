import type { AuditEntry } from "@foyer/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createBatchWriter } from "../db/batch-writer.ts";
import type { AuditLogRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { newId } from "../ids.ts";
import { insertEntries, listEntries, organizationIdsOf } from "./audit-store.ts";
import type { Account } from "./authenticate.ts";
import type { SignedIn } from "./sessions.ts";

type Who = Pick<AuditLogRow, "organizationId" | "actorType" | "actorId" | "actorName">;
type What = Pick<AuditLogRow, "action" | "resource" | "resourceId" | "ip">;

const MAX_LIMIT = 200;
const BATCH = 100;

export type AuditLog = ReturnType<typeof createAuditLog>;

/**
 * Who changed what, when and from where; never to what, so that no secret can get into it. An entry is written before
 * its call is answered. When that fails the change stands all the same, and the server's log says so.
 */
export function createAuditLog({ db, log }: Pick<Deps, "db" | "log">) {
  const write = createBatchWriter<AuditLogRow, void>(
    db,
    async (trx, rows) => {
      await insertEntries(trx, rows);
      return rows.map(() => undefined);
    },
    { maxItems: BATCH },
  );

  async function record(who: Who, what: What): Promise<void> {
    try {
      await write({ id: newId("log"), at: Date.now(), ...who, ...what });
    } catch (error) {
      log.error({ err: error, action: what.action, resourceId: what.resourceId }, "an audit entry was not written");
    }
  }

  return {
    /** A call that changed something, for its account. */
    async called(account: Account, request: FastifyRequest, createdId: string | null): Promise<void> {
      const { url } = request.routeOptions;
      const { id, name, provider } = request.params as { id?: string; name?: string; provider?: string };
      await record(actorOf(account), {
        action: `${request.method} ${url}`,
        resource: url?.split("/")[1] ?? null,
        resourceId: id ?? name ?? provider ?? createdId,
        ip: request.ip,
      });
    },
    /** Something that somebody did with their own session. */
    async signedIn({ ip }: Pick<FastifyRequest, "ip">, { user, membership }: SignedIn, action: string): Promise<void> {
      if (!membership) return;
      const { organizationId } = membership;
      const who = { organizationId, actorType: "user", actorId: user.id, actorName: user.email } as const;
      await record(who, { action, resource: "users", resourceId: user.id, ip });
    },
    /** Something that concerns a user wherever they are a member. */
    async everywhere(user: { id: string; email: string }, action: string, ip: string): Promise<void> {
      for (const organizationId of await organizationIdsOf(db, user.id)) {
        const who = { organizationId, actorType: "user", actorId: user.id, actorName: user.email } as const;
        await record(who, { action, resource: "users", resourceId: user.id, ip });
      }
    },
    async list(organizationId: string, query: { limit?: number; offset?: number }) {
      const limit = Math.min(query.limit ?? 50, MAX_LIMIT);
      const offset = query.offset ?? 0;
      const { rows, total } = await listEntries(db, organizationId, limit, offset);
      return { entries: rows.map(toEntry), pagination: { total, limit, offset } };
    },
  };
}

/** Records every call that changed something for an account. On those routes only, so that reading costs nothing. */
export function useAuditLog(app: FastifyInstance, audit: AuditLog): void {
  app.addHook("onRoute", (route) => {
    const method = String(route.method);
    const { access } = route.config ?? {};
    if (/GET|HEAD|OPTIONS/.test(method) || access === "public" || access === "user") return;
    const preSerialization = async (request: FastifyRequest, _: FastifyReply, payload: unknown) => {
      request.createdId = idIn(payload);
      return payload;
    };
    const onSend = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
      const { account } = request;
      if (account && reply.statusCode < 400) await audit.called(account, request, request.createdId);
      return payload;
    };
    route.preSerialization = [...[route.preSerialization ?? []].flat(), preSerialization];
    route.onSend = [...[route.onSend ?? []].flat(), onSend];
  });
  app.decorateRequest("createdId", null);
}

declare module "fastify" {
  interface FastifyRequest {
    /** the id of what a call made, for the audit log */
    createdId: string | null;
  }
}

/** What has no id goes by its name. */
function idIn(payload: unknown): string | null {
  const body = payload as { id?: unknown; name?: unknown; data?: { id?: unknown } | null } | null;
  const id = body?.id ?? body?.data?.id ?? body?.name;
  return typeof id === "string" ? id : null;
}

function actorOf({ organizationId, keyId, userId, name }: Account): Who {
  const actor =
    keyId === null
      ? ({ actorType: "user", actorId: userId ?? "" } as const)
      : ({ actorType: "key", actorId: keyId } as const);
  return { organizationId, ...actor, actorName: name };
}

function toEntry({ id, at, actorType, actorId, actorName, action, resource, resourceId, ip }: AuditLogRow): AuditEntry {
  const actor = { type: actorType, id: actorId, name: actorName };
  return { id, at: new Date(at).toISOString(), actor, action, resource, resourceId, ip };
}
