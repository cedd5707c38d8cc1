import type { EventAttachment } from "@foyer/contract";
import { HOUR_MS } from "@foyer/contract/rules/time";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { Deps } from "../../deps.ts";

const PURPOSE = "attachment-link";
/** The time for which a link in an event is valid. */
const VALID_MS = HOUR_MS;

/** @returns a function that describes an attachment for an event, with a link that needs no token */
export function createAttachmentLinks({ config, encryption }: Pick<Deps, "config" | "encryption">) {
  return ({ id, name, type, size }: AttachmentRow): EventAttachment => {
    const expires = Math.ceil((Date.now() + VALID_MS) / 1_000);
    const signature = encryption.sign(PURPOSE, `${id} ${expires}`);
    const url = `${config.baseUrl.replace(/\/+$/, "")}/attachments/${id}?expires=${expires}&signature=${signature}`;
    return { id, name, type, size, url, expiresAt: new Date(expires * 1_000).toISOString() };
  };
}

/** Whether the link was signed by this server and is still valid. */
export function isValidLink(
  { encryption }: Pick<Deps, "encryption">,
  { id, expires, signature }: { id: string; expires: number; signature: string },
): boolean {
  return encryption.verify(PURPOSE, `${id} ${expires}`, signature) && expires * 1_000 > Date.now();
}
