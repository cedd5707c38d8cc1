import { setTimeout as wait } from "node:timers/promises";
import { openChat } from "../chat-client.ts";
import { authorized, call, isBusy, type ServerProcess } from "./fault-site.ts";

/** The number of replies after which a client starts a new conversation. */
const REPLIES_EACH = 5;
/** The number of submissions after each reply. Submissions are the cheapest way to cause many events. */
const SUBMISSIONS_EACH = 10;

type Sources = { agentId: string; toolId: string };
type Client = { conversationId: string | null; replies: number };

/** Visitors who chat, rate the replies and submit forms, so that a server records many events. */
export function createEventLoad({ agentId, toolId }: Sources, clients: number) {
  /** what servers confirmed: ids of replies and submissions, and comments of ratings */
  const acknowledged = { replies: new Set<string>(), submissions: new Set<string>(), ratings: new Set<string>() };
  const all = Array.from({ length: clients }, (): Client => ({ conversationId: null, replies: 0 }));

  /** @throws TypeError when the server is gone */
  async function converse(serverProcess: ServerProcess, client: Client): Promise<void> {
    const { conversationId } = client;
    // A conversation whose reply was cut off is abandoned, as by a visitor who reloads the page.
    client.conversationId = null;
    const messages = [{ role: "user", content: "When are you open?" }];
    const stream = await openChat(serverProcess.url, { agentId, conversationId, messages }, authorized);
    if (isBusy(stream.response.status)) return wait(200);
    if (!stream.response.ok) throw new Error(`chatting: ${stream.response.status} ${await stream.response.text()}`);
    await stream.ended;
    const start = stream.events.find((event) => event.type === "message_start");
    if (!start || stream.events.at(-1)?.type !== "message_stop") throw new TypeError("The stream was cut off.");
    acknowledged.replies.add(start.messageId);
    const comment = `Because of ${start.messageId}`;
    await call(serverProcess, "POST", `/conversations/${start.conversationId}/feedback`, {
      messageId: start.messageId,
      rating: "up",
      comment,
    });
    acknowledged.ratings.add(comment);
    for (let n = 0; n < SUBMISSIONS_EACH; n++) {
      const { submissionId } = await call<{ submissionId: string }>(serverProcess, "POST", "/form-submissions/submit", {
        toolId,
        conversationId: start.conversationId,
        formData: { name: "Ada" },
        fieldsCompleted: ["name"],
      });
      acknowledged.submissions.add(submissionId);
    }
    client.replies++;
    client.conversationId = client.replies % REPLIES_EACH === 0 ? null : start.conversationId;
  }

  return {
    acknowledged,
    /** Resolves when the server is gone. */
    async run(serverProcess: ServerProcess): Promise<void> {
      await Promise.all(all.map((client) => untilGone(() => converse(serverProcess, client))));
    },
  };
}

/** Repeats `step` until the server no longer responds. */
export async function untilGone(step: () => Promise<unknown>): Promise<void> {
  try {
    for (;;) await step();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
