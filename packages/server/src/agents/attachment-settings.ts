import type { AgentChanges, AttachmentSettings } from "@foyer/contract";
import type { AgentRow } from "../db/tables.ts";

const defaults: AttachmentSettings = { images: false, files: false, handoffOnly: false };

/** What visitors can attach, with defaults for the settings that were not set. */
export function parseAttachmentSettings({ attachments }: Pick<AgentRow, "attachments">): AttachmentSettings {
  return attachments === "{}" ? defaults : { ...defaults, ...JSON.parse(attachments) };
}

/** The stored settings after a change, as JSON. `null` restores the defaults. */
export function applyAttachmentChanges(
  stored: string,
  changes: NonNullable<AgentChanges["attachments"]> | null,
): string {
  return changes === null ? "{}" : JSON.stringify({ ...JSON.parse(stored), ...changes });
}
