import type { ConversationQuery } from "@foyer/contract";
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { containsText } from "../db/contains-text.ts";
import type { DatabaseKind } from "../db/database-kind.ts";
import type { Tables } from "../db/tables.ts";

export type ConversationFilter = Omit<ConversationQuery, "assignee" | "from" | "to" | "format" | "limit" | "offset"> & {
  /** a user id, or `none` */
  assigneeId?: string;
  /** milliseconds; `from` is inclusive, `to` exclusive */
  from?: number;
  to?: number;
};

/**
 * Conversations with a form submission. A visitor can name any conversation, so the submission's agent must also match.
 */
export const submitted = sql`select 1 from submissions where submissions."conversationId" = conversations.id
  and submissions."agentId" = conversations."agentId"`;

/** Matches the condition of the partial index on these conversations. */
const isHandedOver = sql<boolean>`handler <> 'agent'`;

const hasSubmission = sql<boolean>`exists (${submitted})`;

/** The failed replies of a conversation. */
export const failed = sql`select 1 from "replyFailures" where "replyFailures"."conversationId" = conversations.id`;

/** Restricts a query of conversations to the matches of a filter. */
export function matches(
  {
    agentId,
    handler,
    assigneeId,
    userId,
    q,
    feedback,
    hasForm,
    failed: hasFailed,
    test,
    tag,
    from,
    to,
  }: ConversationFilter,
  kind: DatabaseKind,
) {
  return <Row>(query: SelectQueryBuilder<Tables, "conversations", Row>) =>
    query
      .$if(agentId !== undefined, (x) => x.where("agentId", "=", agentId ?? ""))
      .$if(handler !== undefined, (x) => x.where("handler", "=", handler ?? "agent"))
      .$if(handler === "waiting" || handler === "human", (x) => x.where(isHandedOver))
      .$if(assigneeId !== undefined, (x) =>
        assigneeId === "none" ? x.where("assigneeId", "is", null) : x.where("assigneeId", "=", assigneeId ?? ""),
      )
      .$if(userId !== undefined, (x) => x.where("userId", "=", userId ?? null))
      .$if(from !== undefined, (x) => x.where("createdAt", ">=", from ?? 0))
      .$if(to !== undefined, (x) => x.where("createdAt", "<", to ?? 0))
      .$if(hasForm !== undefined, (x) => x.where(hasForm ? hasSubmission : sql<boolean>`not ${hasSubmission}`))
      .$if(hasFailed !== undefined, (x) =>
        x.where(hasFailed ? sql<boolean>`exists (${failed})` : sql<boolean>`not exists (${failed})`),
      )
      .$if(test !== undefined, (x) => x.where("isTest", "=", test ? 1 : 0))
      .$if(tag !== undefined, (x) => x.where("conversations.id", "in", tagged(tag ?? "")))
      .$if(feedback !== undefined, (x) => x.where(hasMessage(sql`feedback = ${feedback}`)))
      .$if(q !== undefined, (x) =>
        x.where(
          sql<boolean>`(${containsText(kind, "title", q ?? "")} or ${hasMessage(containsText(kind, "content", q ?? ""))})`,
        ),
      );
}

function hasMessage(condition: RawBuilder<unknown>) {
  return sql<boolean>`exists (select 1 from messages where messages."conversationId" = conversations.id and ${condition})`;
}

/** Only the rows of the same organization, because anyone can name the id of a tag. */
function tagged(tagId: string) {
  return sql<string>`(select "conversationId" from "conversationTags" as tagged where tagged."tagId" = ${tagId}
    and tagged."organizationId" = conversations."organizationId")`;
}
