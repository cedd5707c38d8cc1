import type { WebhookEvent } from "@foyer/contract";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import type { Received } from "../webhook-receiver.ts";
import { call, type ServerProcess } from "./fault-site.ts";

/** Records the events that were posted to a receiver. It verifies the signature of each event. */
export function createInbox(secret: string) {
  const verifier = new Webhook(secret);
  /** the bodies by their ids */
  const bodies = new Map<string, string>();
  let attempts = 0;

  return {
    ids: () => new Set(bodies.keys()),
    duplicates: () => attempts - bodies.size,
    /** Takes what one server has sent. @returns the ids of the events */
    take(requests: readonly Received[]): string[] {
      return requests.map(({ headers, text }) => {
        verifier.verify(text, headers as Record<string, string>);
        const { id } = JSON.parse(text) as WebhookEvent;
        expect(headers["webhook-id"]).toBe(id);
        expect(bodies.get(id) ?? text, "an event that is sent again has the same body").toBe(text);
        bodies.set(id, text);
        attempts++;
        return id;
      });
    },
  };
}

type Page = { events: WebhookEvent[]; cursor: string };

/** A reader of the feed that expects every event once, and those of a conversation in order and without a gap. */
export function createFeedReader() {
  let cursor = "0";
  const ids = new Set<string>();
  /** the number of the newest event of each conversation */
  const sequences = new Map<string, number>();
  /** the ids that the events were about, by event type */
  const subjects = new Map<string, Set<string>>();

  function take({ id, type, conversationId, sequence, data }: WebhookEvent): void {
    expect(ids.has(id), `${id} was listed before`).toBe(false);
    ids.add(id);
    if (conversationId !== null) {
      expect(sequence, `the events of ${conversationId} are in order`).toBe((sequences.get(conversationId) ?? 0) + 1);
      sequences.set(conversationId, sequence ?? 0);
    }
    const { messageId, submissionId, comment } = data as Record<string, string | undefined>;
    const subject = comment ?? messageId ?? submissionId ?? conversationId ?? "";
    subjects.set(type, (subjects.get(type) ?? new Set()).add(subject));
  }

  return {
    ids,
    about: (type: WebhookEvent["type"]): ReadonlySet<string> => subjects.get(type) ?? new Set(),
    /** Reads one page. @returns the number of its events @throws TypeError when the server is gone */
    async read(serverProcess: ServerProcess): Promise<number> {
      const page = await call<Page>(serverProcess, "GET", `/events?after=${cursor}&limit=500`);
      for (const event of page.events) take(event);
      cursor = page.cursor;
      return page.events.length;
    },
  };
}
