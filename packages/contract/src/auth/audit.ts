import Type, { type Static } from "typebox";
import { listOffset, nullable, Pagination, ref, stringEnum, Timestamp } from "../schema.ts";

/** Who changed what, when and from where. The new values are not recorded. */
export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    at: Timestamp,
    actor: Type.Object({
      type: stringEnum(["user", "key"]),
      id: Type.String(),
      name: Type.String({ description: "The user's email address or the key's name at that time" }),
    }),
    action: Type.String({ description: "The request, such as `PATCH /agents/:id`, or an event, such as `sign-in`" }),
    resource: nullable(
      Type.String({ description: "Kind of the resource, such as `agents`: the first segment of the path" }),
    ),
    resourceId: nullable(Type.String()),
    targetName: nullable(Type.String({ description: "The resource's name or email address at that time" })),
    ip: Type.String(),
    details: nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: "Further facts of some actions, such as the receipt of an erasure without names or addresses",
        },
      ),
    ),
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
    summary: "List audit log entries, newest first. Entries are kept for 400 days.",
    querystring: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 50. Values above 200 count as 200." })),
      offset: Type.Optional(listOffset),
    }),
    response: { 200: Type.Object({ entries: Type.Array(ref(AuditEntry)), pagination: Pagination }) },
  },
} as const;
