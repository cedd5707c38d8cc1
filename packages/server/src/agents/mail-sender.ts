import type { Agent } from "@foyer/contract";
import type { AgentRow } from "../db/tables.ts";
import type { MailContent } from "../outbound/mail-content.ts";
import { toSingleLine } from "../outbox/message-text.ts";

/** The name and color of an agent in an email to a visitor. */
export function toMailSender({ name, widget }: Pick<AgentRow, "name" | "widget">): NonNullable<MailContent["sender"]> {
  const { accentColor = null }: Agent["widget"] = JSON.parse(widget);
  return { name: toSingleLine(name), color: accentColor };
}
