import { sql } from "kysely";

/** True if the member who has the conversation has left the organization and therefore cannot answer. */
export const hasFormerMember = sql<boolean>`not exists (select 1 from members
  where members."userId" = conversations."assigneeId" and members."organizationId" = conversations."organizationId")`;
