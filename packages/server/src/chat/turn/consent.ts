import type { ChatRequest, Conversation, WidgetSettings } from "@foyer/contract";
import type { Static } from "typebox";
import type { AgentRow, ConversationRow } from "../../db/tables.ts";
import { AppError } from "../../errors.ts";

type ConsentContext = {
  /** the continued conversation, or null for a new one */
  existing: Pick<ConversationRow, "consent"> | null;
  /** the organization of the signed-in member who is testing the agent */
  memberOf: string | null;
};

/**
 * The consent that this request gives, as JSON for the conversation, or null when there is nothing to store. Earlier
 * consent stays valid when the text changes.
 * @throws 403 when the agent requires consent and there is none
 */
export function requireConsent(
  agent: Pick<AgentRow, "organizationId" | "widget">,
  request: Pick<ChatRequest, "consent">,
  { existing, memberOf }: ConsentContext,
): string | null {
  const text = readConsentText(agent.widget);
  if (text === null || existing?.consent) return null;
  if (request.consent) {
    const consent: NonNullable<Conversation["consent"]> = { at: new Date().toISOString(), text };
    return JSON.stringify(consent);
  }
  if (memberOf === agent.organizationId) return null;
  throw new AppError(
    "CONSENT_REQUIRED",
    "The visitor has to agree to the agent's consentText first. Show the text, and send `consent: true` once they have agreed.",
  );
}

function readConsentText(widget: string): string | null {
  // Skip parsing the settings, because most agents require no consent and this runs for every message.
  if (!widget.includes('"consentText"')) return null;
  const { consentText }: Static<typeof WidgetSettings> = JSON.parse(widget);
  return consentText?.trim() || null;
}
