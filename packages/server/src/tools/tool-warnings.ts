import type { Tool, ToolWarning } from "@foyer/contract";
import { findPlaceholders } from "@foyer/contract/rules/fill-template";
import { findSecretNames, readHost } from "@foyer/contract/rules/url-template";
import type { Mailer } from "../outbound/send-email.ts";
import { normalizeAddress } from "../outbound/smtp-address.ts";
import type { MailRecipients } from "./form/mail-recipients.ts";
import type { SecretService } from "./secrets/service.ts";

type Recipient = Awaited<ReturnType<MailRecipients["among"]>>[number];

type Known = {
  recipients: readonly Recipient[];
  secretHosts: ReadonlyMap<string, readonly string[]>;
  sendsMail: boolean;
};

/**
 * Adds warnings to tools whose saved settings cannot work, such as mail without a mail server or to an unconfirmed
 * address, and secrets that do not exist or may not be sent to the tool's host, or show visitors more than they may need.
 */
export function createToolWarnings(
  { isConfigured: sendsMail }: Pick<Mailer, "isConfigured">,
  mailRecipients: MailRecipients,
  secrets: Pick<SecretService, "hostsOf">,
) {
  return async (organizationId: string, tools: readonly Tool[]): Promise<Tool[]> => {
    const addresses = tools.flatMap(({ formPostActions }) => (formPostActions ?? []).flatMap(({ to }) => to ?? []));
    const recipients = await mailRecipients.among(organizationId, addresses);
    const names = findSecretNames(tools.flatMap((tool) => httpTexts(tool).map(({ text }) => text)));
    const known = { recipients, secretHosts: await secrets.hostsOf(organizationId, names), sendsMail };
    return tools.map((tool) => ({
      ...tool,
      warnings: [
        ...secretWarnings(tool, known),
        ...bodyWarnings(tool),
        ...resultWarnings(tool),
        ...mailWarnings(tool, known),
        ...webhookWarnings(tool),
      ],
    }));
  };
}

/** The texts of an HTTP tool in which secrets can be named. */
function httpTexts({ executionType, httpUrl, httpHeaders, httpBody }: Tool): Array<{ path: string; text: string }> {
  if (executionType !== "http") return [];
  const headers = Object.entries(httpHeaders ?? {}).map(([name, text]) => ({ path: `httpHeaders.${name}`, text }));
  const body = httpBody === null ? [] : [{ path: "httpBody", text: JSON.stringify(httpBody) }];
  return [{ path: "httpUrl", text: httpUrl ?? "" }, ...headers, ...body];
}

function secretWarnings(tool: Tool, { secretHosts }: Known): ToolWarning[] {
  const host = readHost(tool.httpUrl ?? "");
  return httpTexts(tool).flatMap(({ path, text }) =>
    findSecretNames([text]).flatMap((name) => {
      const hosts = secretHosts.get(name);
      if (!hosts) return [{ path, message: `There is no secret named ${name}, so calls fail.` }];
      if (hosts.length === 0 || hosts.includes(host)) return [];
      return [{ path, message: `The secret ${name} is not sent to ${host}, only to ${hosts.join(", ")}.` }];
    }),
  );
}

function bodyWarnings({ httpBody, httpMethod }: Tool): ToolWarning[] {
  if (httpBody === null || httpMethod === "POST" || httpMethod === "PUT") return [];
  return [{ path: "httpBody", message: `It is sent only with POST and PUT, not with ${httpMethod ?? "GET"}.` }];
}

/** The default display of a result is its complete text, which visitors can unfold and which the chat stream contains. */
function resultWarnings({ executionType, resultFor, displayConfig }: Tool): ToolWarning[] {
  const { type = "text", fieldMappings = null } = displayConfig ?? {};
  const isShownWhole = type === "text" && !fieldMappings?.text;
  if (executionType !== "http" || resultFor !== "both" || !isShownWhole) return [];
  const message =
    "Visitors can read the complete response. Set resultFor to model to keep it from them, or choose a display that shows only some of its values.";
  return [{ path: "resultFor", message }];
}

const noMailServer = "This server cannot send email because SMTP_URL is not set.";

function mailWarnings(tool: Tool, { recipients, sendsMail }: Known): ToolWarning[] {
  const warnings: ToolWarning[] = [];
  for (const [index, { type, to }] of (tool.formPostActions ?? []).entries()) {
    if (type !== "email") continue;
    const path = `formPostActions.${index}`;
    if (!sendsMail) warnings.push({ path, message: noMailServer });
    for (const [place, address] of (to ?? []).entries()) {
      const problem = recipientProblem(
        address,
        recipients.find((recipient) => recipient.address === normalizeAddress(address)),
      );
      if (problem !== null) warnings.push({ path: `${path}.to.${place}`, message: problem });
    }
  }
  if (tool.formConfirmation && !sendsMail) warnings.push({ path: "formConfirmation", message: noMailServer });
  return warnings;
}

/** What a form's webhooks leave as it is, although it looks as if it had an effect. */
function webhookWarnings({ formWebhookUrl, formPostActions }: Tool): ToolWarning[] {
  const isTemplate = (url: string | null | undefined) => findPlaceholders(url ?? "").length > 0;
  const message = "Placeholders are filled in only in texts and payloads. This address is called as it is.";
  const actions = (formPostActions ?? []).flatMap(({ type, url, webhookUrl, headers }, index): ToolWarning[] => {
    const path = `formPostActions.${index}`;
    const contentType = Object.keys(headers ?? {}).find((name) => name.toLowerCase() === "content-type");
    return [
      ...(isTemplate(url || webhookUrl) ? [{ path: `${path}.${url ? "url" : "webhookUrl"}`, message }] : []),
      ...(type === "webhook" && contentType !== undefined
        ? [{ path: `${path}.headers.${contentType}`, message: "The body is JSON and is sent as application/json." }]
        : []),
    ];
  });
  return [...(isTemplate(formWebhookUrl) ? [{ path: "formWebhookUrl", message }] : []), ...actions];
}

/** Why no mail is sent to this address, or null if mail is sent. */
export function recipientProblem(address: string, recipient: Recipient | undefined): string | null {
  if (!recipient) return `${address} is no longer a mail recipient of this organization.`;
  return recipient.confirmedAt === null ? `${address} has not been confirmed yet.` : null;
}
