import { openChat } from "../chat-client.ts";
import { createLargePng, tinyPictures } from "../tiny-pictures.ts";
import { authorized, isBusy, type Server, type ServerProcess } from "./fault-site.ts";

/** A picture above 256 KB is stored in several parts before the transaction that inserts its row. */
const LARGE_BYTES = 600_000;
const png = tinyPictures["image/png"];
const pictures = [png, createLargePng(LARGE_BYTES), tinyPictures["image/jpeg"]];

/** A message or note that the server acknowledged, with its attachments. */
export type Attached = { conversationId: string; attachments: string[]; isDeleted: boolean };

/**
 * Visitors who upload pictures and attach some of them, and members who attach others to notes and delete notes and
 * conversations.
 */
export function createAttachmentLoad(agentId: string, clients: number) {
  const attached: Attached[] = [];
  let round = 0;

  async function visit(server: Server): Promise<void> {
    const number = round++;
    const sessionId = `visitor-${number}`;
    const own = `agentId=${agentId}&sessionId=${sessionId}`;
    const ids = [await upload(server, own, number), await upload(server, own, number + 1)];
    await upload(server, own, number + 2);
    const conversationId = await ask(server, { agentId, sessionId, attachments: ids });
    const message = { conversationId, attachments: ids, isDeleted: false };
    attached.push(message);
    const path = `/conversations/${conversationId}`;
    const file = await upload(server, `conversationId=${conversationId}`, number + 1, authorized);
    const { data: note } = await send(server, `${path}/notes`, { text: "Look", attachments: [file] });
    const stored = { conversationId, attachments: [file], isDeleted: false };
    attached.push(stored);
    if (number % 3 === 1) {
      // It counts as deleted from here on, because the server can die after it has deleted the note.
      stored.isDeleted = true;
      await remove(server, `${path}/notes/${note.id}`);
    }
    if (number % 3 === 2) {
      message.isDeleted = true;
      stored.isDeleted = true;
      await remove(server, path);
    }
  }

  return {
    /** Everything that was acknowledged. */
    attached,
    /** Resolves when the server is gone. */
    async run(serverProcess: ServerProcess): Promise<void> {
      let isGone = false;
      void serverProcess.exited.then(() => {
        isGone = true;
      });
      const client = async () => {
        while (!isGone) {
          await visit(serverProcess).catch((error: unknown) => {
            if (!isUnanswered(error)) throw error;
          });
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
  };
}

class NotAcknowledgedError extends Error {}

/** `fetch` rejects with a TypeError when the connection breaks. */
function isUnanswered(error: unknown): boolean {
  return (
    error instanceof NotAcknowledgedError ||
    (error instanceof TypeError && /fetch failed|terminated/.test(error.message))
  );
}

async function upload(
  { url }: Server,
  query: string,
  number: number,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(`${url}/chat/attachments?${query}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream", "x-filename": `${number}.png`, ...headers },
    body: new Uint8Array(pictures[number % pictures.length] ?? png),
  });
  const body = await read(response);
  return body.data.id;
}

/** @returns the conversation that the message starts */
async function ask(
  { url }: Server,
  { agentId, sessionId, attachments }: { agentId: string; sessionId: string; attachments: string[] },
): Promise<string> {
  const messages = [{ role: "user", content: "What is it?" }];
  const stream = await openChat(url, { agentId, sessionId, messages, attachments });
  if (stream.response.status !== 200) await read(stream.response);
  const start = await stream.until("message_start").catch(() => {
    throw new NotAcknowledgedError();
  });
  // The reply ends early when the server dies.
  await stream.ended.catch(() => {});
  if (start.type !== "message_start") throw new NotAcknowledgedError();
  return start.conversationId;
}

async function send({ url }: Server, path: string, body: object) {
  const headers = { ...authorized, "content-type": "application/json" };
  return read(await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function remove({ url }: Server, path: string): Promise<void> {
  await read(await fetch(url + path, { method: "DELETE", headers: authorized }));
}

async function read(response: Response) {
  const text = await response.text();
  if (isBusy(response.status)) throw new NotAcknowledgedError();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
  return JSON.parse(text);
}
