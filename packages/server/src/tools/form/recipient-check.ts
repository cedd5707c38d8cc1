import { areMembers } from "../../auth/members/members.ts";
import type { Db } from "../../db/open.ts";
import { invalid } from "../../errors.ts";
import { normalizeAddress } from "../../outbound/smtp-address.ts";
import type { ToolSettings } from "../columns.ts";
import type { MailRecipients } from "./mail-recipients.ts";

/**
 * Checks that the members and addresses named by a tool belong to the organization.
 * @throws 400 with the field's path
 */
export function createRecipientCheck(db: Db, mailRecipients: MailRecipients) {
  return async (organizationId: string, given: ToolSettings): Promise<void> => {
    const actions = given.formPostActions ?? [];
    const memberIds = actions.flatMap((action) => action.recipientIds ?? []);
    if (memberIds.length > 0 && !(await areMembers(db, organizationId, memberIds))) {
      throw invalid("formPostActions", "must contain only ids of members of this organization", "unknown_reference");
    }
    const addresses = actions.flatMap(({ to }) => to ?? []);
    const known = new Set((await mailRecipients.among(organizationId, addresses)).map(({ address }) => address));
    for (const [index, { to }] of actions.entries()) {
      const place = (to ?? []).findIndex((address) => !known.has(normalizeAddress(address)));
      if (place === -1) continue;
      const problem = "is not a mail recipient of this organization. Add it with POST /mail-recipients first";
      throw invalid(`formPostActions.${index}.to.${place}`, problem, "unknown_reference");
    }
  };
}
