import type { Tool, ToolWarning } from "@foyer/contract";
import type { Mailer } from "../outbound/send-email.ts";
import { normalizeAddress } from "../outbound/smtp-address.ts";
import type { MailRecipients } from "./form/mail-recipients.ts";

type Recipient = Awaited<ReturnType<MailRecipients["among"]>>[number];

/** Adds to tools what is saved but cannot work as it is: mail without a mail server, or to an unconfirmed address. */
export function createToolWarnings({ isConfigured }: Pick<Mailer, "isConfigured">, recipients: MailRecipients) {
  return async (organizationId: string, tools: readonly Tool[]): Promise<Tool[]> => {
    const addresses = tools.flatMap(({ formPostActions }) => (formPostActions ?? []).flatMap(({ to }) => to ?? []));
    const known = await recipients.among(organizationId, addresses);
    return tools.map((tool) => ({ ...tool, warnings: warningsOf(tool, known, isConfigured) }));
  };
}

const noMailServer = "This server sends no mail because SMTP_URL is not set.";

function warningsOf(tool: Tool, known: readonly Recipient[], sendsMail: boolean): ToolWarning[] {
  const warnings: ToolWarning[] = [];
  for (const [index, { type, to }] of (tool.formPostActions ?? []).entries()) {
    if (type !== "email") continue;
    const path = `formPostActions.${index}`;
    if (!sendsMail) warnings.push({ path, message: noMailServer });
    for (const [place, address] of (to ?? []).entries()) {
      const problem = recipientProblem(
        address,
        known.find((recipient) => recipient.address === normalizeAddress(address)),
      );
      if (problem !== null) warnings.push({ path: `${path}.to.${place}`, message: problem });
    }
  }
  if (tool.formConfirmation && !sendsMail) warnings.push({ path: "formConfirmation", message: noMailServer });
  return warnings;
}

/** Why no mail is sent to this address; null when one is. */
export function recipientProblem(address: string, recipient: Recipient | undefined): string | null {
  if (!recipient) return `${address} is not a mail recipient of this organization any more.`;
  return recipient.confirmedAt === null ? `${address} has not been confirmed yet.` : null;
}
