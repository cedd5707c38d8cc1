import Type, { type Static } from "typebox";
import { nullable, oneOf, Pagination, ref, Timestamp } from "./schema.ts";

/** Who changed what, when and from where. What it was changed to is not in it. */
export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: Timestamp,
    actor: Type.Object({
      type: oneOf(["user", "key"]),
      id: Type.String(),
      name: Type.String({ description: "The user's address or the key's name, as it was then" }),
    }),
    action: Type.String({ description: "The call, such as `PATCH /agents/:id`, or an event, such as `sign-in`" }),
    resource: nullable(Type.String({ description: "`agents`, `tools`, …: the first word of the address" })),
    resourceId: nullable(Type.String()),
    targetName: nullable(Type.String({ description: "The resource's name or address, as it was then" })),
    ip: Type.String(),
  },
  { $id: "AuditEntry" },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const listAuditLog = {
  method: "GET",
  url: "/audit-log",
  config: { access: "session" },
  schema: {
    tags: ["Audit log"],
    summary: "Read who changed what, newest first; kept for 400 days",
    querystring: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1 })),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    }),
    response: { 200: Type.Object({ entries: Type.Array(ref(AuditEntry)), pagination: Pagination }) },
  },
} as const;
