import type { Conversation } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { ChatEntries } from "./chat-entries.ts";

export type Consent = ReturnType<typeof createConsent>;

/**
 * Tracks whether the visitor gave consent to the agent's `consentText`. The server stores the consent with the
 * conversation. In the browser, it is valid for one visitor until the page is closed.
 */
export function createConsent({ agent, bus }: WidgetCore, { store, patch }: ChatEntries) {
  const text = agent.widget.consentText?.trim() || null;
  let isGiven = false;
  bus.on("identity", () => {
    isGiven = false;
  });
  return {
    text,
    isGiven: () => isGiven,
    /** Whether consent is required before the next message. */
    isNeeded: () => text !== null && !isGiven && !store.get().hasConsent,
    give(): void {
      isGiven = true;
      patch({ hasConsent: true });
    },
    /**
     * Applies the consent that is stored with the conversation. Consent to exactly this text also applies to other
     * conversations.
     */
    found(consent: Conversation["consent"]): void {
      isGiven ||= consent !== null && consent.text === text;
      patch({ hasConsent: isGiven || consent !== null });
    },
    /** The field for a chat request. */
    field: () => (isGiven && text !== null ? { consent: true } : {}),
  };
}
