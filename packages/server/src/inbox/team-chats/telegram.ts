import { attachmentLimits } from "@foyer/contract";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError, wasNeverSent } from "../../outbound/outbound-error.ts";
import { neutralizeMentions, parseWithoutSecrets, toOneLine } from "./chat-text.ts";
import { encodeMultipart } from "./form-body.ts";
import { type Follower, type NewFile, type NewPost, type TeamChat, TeamChatError } from "./team-chat.ts";
import { readUpdate, toTopicThread, type Update } from "./telegram-updates.ts";

/** How long Telegram holds a request for updates open when there are none, in seconds. */
const LONG_POLL_S = 50;
const CALL_MS = 20_000;
/** Each message has at most 4,096 characters, so the response to a call stays well below `MAX_BYTES`. */
const UPDATES_PER_CALL = 20;
const MAX_BYTES = 4 * 1024 * 1024;
const TOPIC_TITLE = 128;

type Settings = { baseUrl: string; token: string; chatId: string };
type Chat = { title?: string; first_name?: string; username?: string; is_forum?: boolean; type: string };
type Bot = { id: number; username: string };

/**
 * A Telegram bot that polls for updates. In a group with topics, each conversation is a topic. In any other group and
 * in a private chat, a conversation is a message with its replies.
 */
export function createTelegramChat(outbound: Outbound, settings: Settings): TeamChat {
  const call = createCaller(outbound, settings);
  const download = createDownload(outbound, settings, call);
  let bot: Bot | undefined;
  const getBot = async (signal: AbortSignal) => {
    bot ??= await call<Bot>("getMe", {}, { signal });
    return bot;
  };

  return {
    maxText: 4_096,
    quote: neutralizeMentions,
    async check(signal) {
      const { username } = await getBot(signal);
      const chat = await call<Chat>("getChat", { chat_id: settings.chatId }, { signal });
      return {
        botName: `@${username}`,
        chatTitle: chat.title ?? chat.first_name ?? chat.username ?? settings.chatId,
        hasTopics: chat.is_forum === true,
      };
    },
    async createTopic(title, signal) {
      const name = toOneLine(title, TOPIC_TITLE);
      const topic = await call<{ message_thread_id: number }>(
        "createForumTopic",
        { chat_id: settings.chatId, name },
        { signal },
      );
      return toTopicThread(topic.message_thread_id);
    },
    async post(post, signal) {
      const sent = await call<{ message_id: number }>("sendMessage", createMessageBody(settings.chatId, post), {
        signal,
      });
      const messageId = String(sent.message_id);
      return { messageId, thread: post.thread ?? `message:${messageId}` };
    },
    async postFile(file, signal) {
      const isPhoto = isShownAsPhoto(file);
      const fields = createMessageBody(settings.chatId, { text: "", thread: file.thread });
      const form = encodeMultipart(
        {
          chat_id: fields.chat_id,
          message_thread_id: fields.message_thread_id?.toString(),
          reply_parameters: fields.reply_parameters && JSON.stringify(fields.reply_parameters),
        },
        { ...file, field: isPhoto ? "photo" : "document" },
      );
      const sent = await call<{ message_id: number }>(isPhoto ? "sendPhoto" : "sendDocument", form, { signal });
      const messageId = String(sent.message_id);
      return { messageId, thread: file.thread ?? `message:${messageId}` };
    },
    async follow({ cursor, onConnected, onMessage, onCursor }: Follower, signal) {
      const { id: botId, username } = await getBot(signal);
      let offset = cursor === null ? undefined : Number(cursor);
      // The first call returns immediately, so that the dashboard shows the connection without waiting for a message.
      let timeout = 0;
      while (true) {
        const updates = await call<Update[]>(
          "getUpdates",
          { offset, timeout, limit: UPDATES_PER_CALL, allowed_updates: ["message", "edited_message"] },
          { signal, timeoutMs: LONG_POLL_S * 1_000 + CALL_MS },
        );
        await onConnected();
        for (const update of updates) {
          const message = readUpdate(update, { botId, username, chatId: settings.chatId, download });
          if (message) await onMessage(message);
          // Telegram discards an update only after a call with a higher offset.
          offset = update.update_id + 1;
        }
        if (updates.length > 0 && offset !== undefined) await onCursor(String(offset));
        timeout = LONG_POLL_S;
      }
    },
  };
}

/** Telegram refuses other pictures as photos: https://core.telegram.org/bots/api#sendphoto */
function isShownAsPhoto({ type, width, height }: NewFile): boolean {
  if (width === null || height === null || type === "image/gif") return false;
  return width + height <= 10_000 && Math.max(width, height) <= 20 * Math.min(width, height);
}

type Call = ReturnType<typeof createCaller>;

/** @returns a function that downloads a file by its id: https://core.telegram.org/bots/api#getfile */
function createDownload(outbound: Outbound, { baseUrl, token }: Settings, call: Call) {
  return async (fileId: string, signal: AbortSignal): Promise<Buffer> => {
    const { file_path: path } = await call<{ file_path?: string }>("getFile", { file_id: fileId }, { signal });
    const tooLarge = () => new TeamChatError("rejected", "Files can be at most 10 MB.");
    if (path === undefined || !/^[\w./-]+$/.test(path)) throw tooLarge();
    const response = await outbound
      .request({
        url: `${baseUrl}/file/bot${token}/${path}`,
        method: "GET",
        trust: "operator",
        organizationId: null,
        signal,
        timeoutMs: CALL_MS,
        maxBytes: attachmentLimits.fileBytes,
      })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        throw new TeamChatError("unavailable", `Telegram: ${error.message.replaceAll(token, "…")}`);
      });
    if (response.truncated) throw tooLarge();
    if (response.status !== 200) {
      throw new TeamChatError("unavailable", `Telegram responded with HTTP ${response.status}.`, {
        status: response.status,
      });
    }
    return response.body;
  };
}

function createMessageBody(chatId: string, { text, thread, replyTo }: NewPost) {
  const [kind, id] = thread?.split(":") ?? [];
  const repliedTo = replyTo ?? (kind === "message" ? id : undefined);
  return {
    chat_id: chatId,
    text,
    link_preview_options: { is_disabled: true },
    message_thread_id: kind === "topic" ? Number(id) : undefined,
    // A reply to a deleted message is posted without the reference.
    reply_parameters: repliedTo ? { message_id: Number(repliedTo), allow_sending_without_reply: true } : undefined,
  };
}

type CallOptions = { signal: AbortSignal; timeoutMs?: number };
type Response<T> =
  | { ok: true; result: T }
  | {
      ok: false;
      error_code?: number;
      description?: string;
      parameters?: { retry_after?: number; migrate_to_chat_id?: number };
    };

function createCaller(outbound: Outbound, { baseUrl, token }: Settings) {
  // The second half of a token is the secret one.
  const secrets = [token, ...token.split(":").slice(1)];
  return async <T>(
    method: string,
    given: object | ReturnType<typeof encodeMultipart>,
    { signal, timeoutMs = CALL_MS }: CallOptions,
  ): Promise<T> => {
    const form = "contentType" in given ? given : { contentType: "application/json", body: JSON.stringify(given) };
    const response = await outbound
      .request({
        url: `${baseUrl}/bot${token}/${method}`,
        method: "POST",
        headers: { "content-type": form.contentType },
        body: form.body,
        trust: "operator",
        organizationId: null,
        signal,
        timeoutMs,
        maxBytes: MAX_BYTES,
      })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        // The token is part of the URL, which the message of a redirect quotes. The cause is therefore left out.
        const text = `Telegram: ${error.message.replaceAll(token, "…")}`;
        throw new TeamChatError("unavailable", text, { isRefused: wasNeverSent(error) });
      });
    const answer = response.truncated ? null : parseResponse<T>(response.body, secrets);
    if (answer?.ok) return answer.result;
    throw explain(method, response.status, answer);
  };
}

function parseResponse<T>(body: Buffer, secrets: readonly string[]): Response<T> | null {
  try {
    const parsed = parseWithoutSecrets(body, secrets);
    return typeof parsed === "object" && parsed !== null && "ok" in parsed ? (parsed as Response<T>) : null;
  } catch {
    return null;
  }
}

/**
 * https://core.telegram.org/bots/api#making-requests: `description` is meant for people, and its wording can change.
 */
function explain(method: string, status: number, answer: Exclude<Response<unknown>, { ok: true }> | null) {
  const description = answer?.description ?? "";
  const quotedReason = description ? ` Telegram responded: ${toOneLine(description, 300)}` : "";
  const { retry_after: retryAfter, migrate_to_chat_id: movedTo } = answer?.parameters ?? {};
  if (movedTo !== undefined) {
    const text = "The group became a supergroup and has a new chat ID.";
    return new TeamChatError("moved", text, { chatId: String(movedTo), status });
  }
  // The token is part of the path, so Telegram responds to one in the wrong format with 404.
  if (status === 401 || status === 404) {
    const text = "Telegram does not accept the bot token. Copy it again from @BotFather, or create a new one there.";
    return new TeamChatError("credentials", text, { status });
  }
  if (status === 409) return new TeamChatError("conflict", describeConflict(description), { status });
  if (status === 429) {
    const retryAfterMs = (retryAfter ?? 5) * 1_000;
    return new TeamChatError("busy", "Telegram is rate limiting the bot. The message is sent later.", {
      retryAfterMs,
      status,
    });
  }
  if (status === 403) {
    const text = `The bot is not allowed to write in the chat. Add it to the group again, or start a chat with it.${quotedReason}`;
    return new TeamChatError("chat", text, { status });
  }
  if (status >= 400 && status < 500) return explainBadRequest(method, { description, quotedReason, status });
  return new TeamChatError("unavailable", `Telegram responded with HTTP ${status}.${quotedReason}`, { status });
}

function explainBadRequest(
  method: string,
  { description, quotedReason, status }: { description: string; quotedReason: string; status: number },
): TeamChatError {
  if (/thread not found|TOPIC_(DELETED|ID_INVALID|CLOSED)/i.test(description)) {
    return new TeamChatError("no_topic", `The topic for this conversation was closed or deleted.${quotedReason}`, {
      status,
    });
  }
  if (/chat not found|chat_id is empty/i.test(description)) {
    const text = `The bot cannot find a chat with this ID. Add the bot to the group, and check the chat ID.${quotedReason}`;
    return new TeamChatError("chat", text, { status });
  }
  if (method === "createForumTopic") {
    const text = `The bot cannot create topics. Make it an administrator who may manage topics.${quotedReason}`;
    return new TeamChatError("chat", text, { status });
  }
  return new TeamChatError("rejected", `Telegram rejected ${method} (HTTP ${status}).${quotedReason}`, { status });
}

function describeConflict(description: string): string {
  return /webhook/i.test(description)
    ? "This bot has a webhook, so Foyer cannot receive its messages. Delete the webhook, or create a separate bot for Foyer."
    : "Another program receives this bot's messages. Stop it, or create a separate bot for Foyer.";
}
