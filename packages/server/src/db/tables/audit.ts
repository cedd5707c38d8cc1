import type { Generated } from "kysely";
import type { Instant, Json } from "./column-types.ts";

/** The table of the audit log, as Kysely sees it. */
export type AuditTables = { auditLog: Omit<AuditLogRow, "details"> & { details: Generated<Json | null> } };

/** Who changed what. The actor and the resource may have been deleted. */
export type AuditLogRow = {
  id: string;
  organizationId: string;
  at: Instant;
  actorType: "user" | "key";
  actorId: string;
  actorName: string;
  action: string;
  resource: string | null;
  resourceId: string | null;
  /** the resource's name or email address at the time */
  resourceName: string | null;
  ip: string;
  /** further facts of the action, without names or addresses of visitors */
  details: Json | null;
};
