import Type, { type Static } from "typebox";
import { type TrashKind, trashKinds } from "../rules/trash-kinds.ts";
import {
  idParams,
  inEnvelope,
  listOffset,
  nullable,
  Pagination,
  ref,
  Success,
  stringEnum,
  Timestamp,
} from "../schema.ts";

export type { TrashKind };

export const TrashItem = Type.Object(
  {
    id: Type.String({ description: "The id of the agent, conversation, document, tool or trigger" }),
    kind: stringEnum(trashKinds),
    name: Type.String({ description: "Its name or title" }),
    agentId: Type.String({ description: "The agent that it belongs to; its own id for an agent" }),
    agentName: Type.String(),
    isAgentInTrash: Type.Boolean({
      description: "Whether the agent that it belongs to is in the trash as well and has to be restored first",
    }),
    trashedBy: nullable(Type.String({ description: "The name of the member or API key that moved it to the trash" })),
    trashedAt: Timestamp,
    deletesAt: nullable(
      Type.String({ format: "date-time", description: "When it is deleted permanently, within an hour" }),
    ),
  },
  { $id: "TrashItem" },
);
export type TrashItem = Static<typeof TrashItem>;

/** Until when something that was moved to the trash can be restored. */
export const Trashed = Type.Object(
  {
    deletesAt: nullable(
      Type.String({
        format: "date-time",
        description:
          "Until when it can be restored. `null` when the server keeps no trash (`FOYER_TRASH_DAYS=0`): it is then deleted permanently at once.",
      }),
    ),
  },
  { $id: "Trashed" },
);
export type Trashed = Static<typeof Trashed>;

const config = { access: "account" } as const;
const tags = ["Trash"];

export const listTrash = {
  method: "GET",
  url: "/trash",
  config,
  schema: {
    tags,
    summary: "List what is in the trash, most recently deleted first",
    querystring: Type.Object({
      kind: Type.Optional(stringEnum(trashKinds, "Only entries of this kind")),
      agentId: Type.Optional(Type.String({ description: "Only this agent and what belongs to it" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 50. Values above 200 count as 200." })),
      offset: Type.Optional(listOffset),
    }),
    response: {
      200: inEnvelope(
        Type.Object({
          items: Type.Array(ref(TrashItem)),
          keptDays: Type.Integer({ description: "After how many days entries are deleted (`FOYER_TRASH_DAYS`)" }),
          pagination: Pagination,
        }),
      ),
    },
  },
} as const;
export type TrashQuery = Static<typeof listTrash.schema.querystring>;

export const emptyTrash = {
  method: "DELETE",
  url: "/trash",
  config,
  schema: {
    tags,
    summary: "Delete everything in the trash permanently. The server does so in the background.",
    response: { 200: inEnvelope(Type.Object({ deleted: Type.Integer({ description: "Number of entries" }) })) },
  },
} as const;

export const deleteFromTrash = {
  method: "DELETE",
  url: "/trash/:id",
  config,
  schema: {
    tags,
    summary: "Delete one entry of the trash permanently",
    params: idParams("agent, conversation, document, tool or trigger"),
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const trashAgent = {
  method: "POST",
  url: "/agents/:id/trash",
  config,
  schema: {
    tags,
    summary: "Move an agent to the trash, with its conversations, documents, tools, triggers and submissions",
    params: idParams("agent"),
    response: { 200: inEnvelope(ref(Trashed)) },
  },
} as const;

export const restoreAgent = {
  method: "POST",
  url: "/agents/:id/restore",
  config,
  schema: {
    tags,
    summary: "Restore an agent from the trash with everything that belonged to it",
    params: idParams("agent"),
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const trashConversation = {
  method: "POST",
  url: "/conversations/:id/trash",
  config,
  schema: {
    tags,
    summary: "Move a conversation to the trash. A request for a person ends, and so does a running reply.",
    params: idParams("conversation"),
    response: { 200: inEnvelope(ref(Trashed)) },
  },
} as const;

export const restoreConversation = {
  method: "POST",
  url: "/conversations/:id/restore",
  config,
  schema: {
    tags,
    summary: "Restore a conversation from the trash. The agent has it then.",
    params: idParams("conversation"),
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const trashDocument = {
  method: "POST",
  url: "/documents/:id/trash",
  config,
  schema: {
    tags,
    summary: "Move a document to the trash. Replies no longer use it.",
    params: idParams("document"),
    response: { 200: inEnvelope(ref(Trashed)) },
  },
} as const;

export const restoreDocument = {
  method: "POST",
  url: "/documents/:id/restore",
  config,
  schema: {
    tags,
    summary: "Restore a document from the trash",
    params: idParams("document"),
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const trashTool = {
  method: "POST",
  url: "/tools/:id/trash",
  config,
  schema: {
    tags,
    summary: "Move a tool to the trash",
    params: idParams("tool"),
    response: { 200: inEnvelope(ref(Trashed)) },
  },
} as const;

export const restoreTool = {
  method: "POST",
  url: "/tools/:id/restore",
  config,
  schema: {
    tags,
    summary: "Restore a tool from the trash. Triggers that showed it show it again.",
    params: idParams("tool"),
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const trashTrigger = {
  method: "POST",
  url: "/triggers/:id/trash",
  config,
  schema: {
    tags,
    summary: "Move a trigger to the trash",
    params: idParams("trigger"),
    response: { 200: inEnvelope(ref(Trashed)) },
  },
} as const;

export const restoreTrigger = {
  method: "POST",
  url: "/triggers/:id/restore",
  config,
  schema: {
    tags,
    summary: "Restore a trigger from the trash with its statistics",
    params: idParams("trigger"),
    response: { 200: inEnvelope(Success) },
  },
} as const;
