import { attachmentLimits } from "@foyer/contract";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError, wasNeverSent } from "../../outbound/outbound-error.ts";
import { parseRetryAfter } from "../../outbound/retry-after.ts";
import { parseWithoutSecrets } from "./chat-text.ts";
import { escapeText, readEvent, type SlackEvent, type SlackFile } from "./slack-events.ts";
import { type Follower, type TeamChat, TeamChatError } from "./team-chat.ts";

const CALL_MS = 20_000;
const MAX_BYTES = 1024 * 1024;
/** The connection is closed after this time without data, in milliseconds. Slack sends pings more often. */
const IDLE_MS = 60_000;

type Settings = {
  baseUrl: string;
  organizationId: string | null;
  botToken: string;
  appToken: string;
  channelId: string;
};

/** A message over the WebSocket: https://docs.slack.dev/apis/events-api/using-socket-mode */
type Envelope = {
  type: string;
  envelope_id?: string;
  payload?: { event?: SlackEvent };
};

/**
 * Creates the client of a Slack app in Socket Mode, which opens a WebSocket to Slack, so the server needs no inbound
 * port. Each conversation is a thread.
 */
export function createSlackChat(outbound: Outbound, settings: Settings): TeamChat {
  const { organizationId, botToken, appToken, channelId } = settings;
  const call = createCaller(outbound, settings.baseUrl);
  const { download, upload } = createFileTransfer(outbound, settings);

  /** Receives messages over one connection until Slack asks the client to reconnect, which happens every few hours. */
  async function receive({ onConnected, onMessage }: Follower, botUserId: string, signal: AbortSignal): Promise<void> {
    const { url } = await call<{ url?: unknown }>("apps.connections.open", { token: appToken, signal });
    if (typeof url !== "string" || !URL.canParse(url)) {
      throw new TeamChatError("unavailable", "Slack responded without the address of a connection.");
    }
    const socket = await outbound
      .webSocket({ url, organizationId, idleMs: IDLE_MS, signal })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        throw new TeamChatError("unavailable", `Slack: ${error.message}`);
      });
    try {
      for await (const text of socket.messages) {
        const envelope = parseEnvelope(text);
        if (envelope?.type === "hello") await onConnected();
        if (envelope?.type === "disconnect") return;
        const message =
          envelope?.payload?.event && readEvent(envelope.payload.event, { channelId, botUserId, download });
        if (message) await onMessage(message);
        // Acknowledge every event, because Slack repeats an event that is not acknowledged.
        if (envelope?.envelope_id) socket.send(JSON.stringify({ envelope_id: envelope.envelope_id }));
      }
    } finally {
      socket.close();
    }
    signal.throwIfAborted();
    throw new TeamChatError("unavailable", "The connection to Slack was interrupted.");
  }

  return {
    maxText: 4_000,
    // `post` already escapes everything that Slack recognizes as a mention or a link.
    quote: (text) => text,
    async check(signal) {
      await call("apps.connections.open", { token: appToken, signal });
      const { user } = await call<{ user: string }>("auth.test", { token: botToken, signal });
      const { channel } = await call<{ channel: { name: string; is_member?: boolean } }>("conversations.info", {
        token: botToken,
        body: { channel: channelId },
        signal,
      });
      if (channel.is_member === false) {
        throw new TeamChatError(
          "chat",
          `The bot is not in #${channel.name}. Write “/invite @${user}” in the channel to add it.`,
        );
      }
      return { botName: `@${user}`, chatTitle: `#${channel.name}`, hasTopics: false };
    },
    createTopic() {
      throw new TeamChatError("rejected", "Slack has no topics.");
    },
    async post({ text, thread, replyTo }, signal) {
      const threadTs = thread ?? replyTo;
      const sent = await call<{ ts: string }>("chat.postMessage", {
        token: botToken,
        body: {
          channel: channelId,
          text: escapeText(text),
          thread_ts: threadTs,
          mrkdwn: false,
          parse: "none",
          link_names: false,
          unfurl_links: false,
          unfurl_media: false,
        },
        signal,
      });
      return { messageId: sent.ts, thread: threadTs ?? sent.ts };
    },
    async postFile({ name, content, thread }, signal) {
      // https://docs.slack.dev/messaging/working-with-files#upload
      const { upload_url: url, file_id: id } = await call<{ upload_url: string; file_id: string }>(
        "files.getUploadURLExternal",
        { token: botToken, body: { filename: name, length: content.length }, signal },
      );
      await upload(url, content, signal);
      const body = {
        files: JSON.stringify([{ id, title: name }]),
        channel_id: channelId,
        thread_ts: thread ?? undefined,
      };
      await call("files.completeUploadExternal", { token: botToken, body, signal });
      return { messageId: `file:${id}`, thread: thread ?? `file:${id}` };
    },
    async follow(follower, signal) {
      const { user_id: botUserId } = await call<{ user_id: string }>("auth.test", { token: botToken, signal });
      while (true) await receive(follower, botUserId, signal);
    },
  };
}

/** Transfers the contents of files, which are at URLs that Slack names. */
function createFileTransfer(outbound: Outbound, { baseUrl, organizationId, botToken }: Settings) {
  const transfer = async (url: string, options: { body?: Buffer; signal: AbortSignal }) => {
    const { body, signal } = options;
    const address = URL.parse(url);
    const isOwn = address?.origin === new URL(baseUrl).origin;
    // The bot's token is sent along, so it goes to Slack only.
    if (!address || !(isOwn || (address.protocol === "https:" && /(?:^|\.)slack\.com$/.test(address.hostname)))) {
      throw new TeamChatError("rejected", "The file is not stored by Slack.");
    }
    const response = await outbound
      .request({
        url,
        method: body ? "POST" : "GET",
        headers: body ? { "content-type": "application/octet-stream" } : { authorization: `Bearer ${botToken}` },
        body,
        trust: isOwn ? "operator" : "untrusted",
        organizationId,
        signal,
        timeoutMs: CALL_MS,
        maxBytes: attachmentLimits.fileBytes,
      })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        throw new TeamChatError("unavailable", `Slack: ${error.message}`, { isRefused: wasNeverSent(error) });
      });
    if (response.truncated) throw new TeamChatError("rejected", "Files can be at most 10 MB.");
    const { status, headers } = response;
    // Without the permission files:read, Slack answers with the page on which people sign in.
    if (!body && String(headers["content-type"]).startsWith("text/html")) {
      throw new TeamChatError("rejected", "The Slack app needs the permission files:read.");
    }
    if (status !== 200) throw new TeamChatError("unavailable", `Slack responded with HTTP ${status}.`, { status });
    return response.body;
  };
  return {
    async download({ url_private_download: url = "" }: SlackFile, signal: AbortSignal): Promise<Buffer> {
      return transfer(url, { signal });
    },
    async upload(url: string, body: Buffer, signal: AbortSignal): Promise<void> {
      await transfer(url, { body, signal });
    },
  };
}

function parseEnvelope(text: string): Envelope | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && "type" in parsed ? (parsed as Envelope) : null;
  } catch {
    return null;
  }
}

type Response = { ok: boolean; error?: string; needed?: string };

type Call = { token: string; body?: object; signal: AbortSignal };

function createCaller(outbound: Outbound, baseUrl: string) {
  return async <T>(method: string, { token, body = {}, signal }: Call): Promise<T> => {
    const response = await outbound
      .request({
        url: `${baseUrl}/${method}`,
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          // conversations.info and auth.test do not accept JSON.
          "content-type": "application/x-www-form-urlencoded",
        },
        body: encodeForm(body),
        trust: "operator",
        organizationId: null,
        signal,
        timeoutMs: CALL_MS,
        maxBytes: MAX_BYTES,
      })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        throw new TeamChatError("unavailable", `Slack: ${error.message}`, { isRefused: wasNeverSent(error) });
      });
    if (response.status === 429) {
      const retryAfterMs = parseRetryAfter(response.headers["retry-after"]) ?? 5_000;
      throw new TeamChatError("busy", "Slack is rate limiting the bot. The message is sent later.", {
        retryAfterMs,
        status: 429,
      });
    }
    const answer = parseResponse(response.body, token);
    if (answer?.ok) return answer as T;
    throw explain(method, response.status, answer);
  };
}

function encodeForm(body: object): string {
  const entries = Object.entries(body).filter(([, value]) => value !== undefined);
  return new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
}

function parseResponse(body: Buffer, token: string): Response | null {
  try {
    const parsed = parseWithoutSecrets(body, [token]);
    return typeof parsed === "object" && parsed !== null && "ok" in parsed ? (parsed as Response) : null;
  } catch {
    return null;
  }
}

const credentialErrors = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "not_allowed_token_type",
]);
const chatErrors: Record<string, string> = {
  channel_not_found: "Slack cannot find the channel. Check its ID, and invite the bot if the channel is private.",
  not_in_channel: "The bot is not in the channel. Invite it with /invite.",
  is_archived: "The channel is archived.",
  restricted_action: "The workspace does not allow the bot to post in the channel.",
};
const temporaryErrors = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout"]);

function explain(method: string, status: number, answer: Response | null): TeamChatError {
  const { error, needed } = answer ?? {};
  if (error === undefined || temporaryErrors.has(error)) {
    return new TeamChatError("unavailable", `Slack responded with ${error ?? `HTTP ${status}`}.`, { status });
  }
  if (credentialErrors.has(error)) {
    const name = method === "apps.connections.open" ? "app-level token (xapp-…)" : "bot token (xoxb-…)";
    const text = `Slack does not accept the ${name}: ${error}. Copy it again from the settings of your Slack app.`;
    return new TeamChatError("credentials", text, { status });
  }
  if (error === "missing_scope") {
    const text = `The Slack app needs the permission ${needed ?? "that the guide lists"}. Add it and install the app again.`;
    return new TeamChatError("credentials", text, { status });
  }
  if (error === "ratelimited") {
    return new TeamChatError("busy", "Slack is rate limiting the bot. The message is sent later.", {
      retryAfterMs: 5_000,
      status,
    });
  }
  if (error === "thread_not_found") {
    return new TeamChatError("no_topic", "The thread of this conversation was deleted.", { status });
  }
  const chatError = chatErrors[error];
  if (chatError) return new TeamChatError("chat", chatError, { status });
  return new TeamChatError("rejected", `Slack rejected ${method}: ${error.slice(0, 100)}.`, { status });
}
