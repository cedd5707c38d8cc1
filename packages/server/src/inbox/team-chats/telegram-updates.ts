import type { IncomingContent, IncomingFile, IncomingMessage } from "./team-chat.ts";

type User = { id: number; is_bot?: boolean; first_name?: string; last_name?: string; username?: string };

/** The parts of a Message that are used: https://core.telegram.org/bots/api#message */
type Message = {
  message_id: number;
  chat: { id: number };
  from?: User;
  sender_chat?: { id: number };
  message_thread_id?: number;
  is_topic_message?: boolean;
  reply_to_message?: { message_id: number; from?: User };
  forward_origin?: unknown;
  via_bot?: unknown;
  text?: string;
  caption?: string;
  /** the same picture in several sizes, the largest one last */
  photo?: ReadonlyArray<{ file_id: string }>;
  document?: { file_id: string; file_name?: string };
} & { [kind in MediaKind]?: unknown };

export type Update = { update_id: number; message?: Message; edited_message?: Message };

/** The thread of a topic. Outside of topics, a thread is `message:` and the id of its first message. */
export function toTopicThread(id: number): string {
  return `topic:${id}`;
}

type Bot = {
  botId: number;
  username: string;
  chatId: string;
  download(fileId: string, signal: AbortSignal): Promise<Buffer>;
};

const mediaNames = {
  video: "Videos",
  video_note: "Videos",
  animation: "Animations",
  audio: "Audio files",
  voice: "Voice messages",
  sticker: "Stickers",
  contact: "Contacts",
  location: "Locations",
  venue: "Locations",
  poll: "Polls",
  checklist: "Checklists",
  dice: "Dice",
  game: "Games",
  story: "Stories",
  paid_media: "Photos and videos",
} as const;
type MediaKind = keyof typeof mediaNames;

/**
 * Reads an update of the configured chat.
 * @returns null for anything that was not written by a person there: other chats, bots, and notices such as "X joined
 * the group"
 */
export function readUpdate(update: Update, bot: Bot): IncomingMessage | null {
  const message = update.message ?? update.edited_message;
  if (!message || String(message.chat.id) !== bot.chatId) return null;
  const isAnonymous = message.sender_chat !== undefined;
  if (!message.from || (message.from.is_bot && !isAnonymous)) return null;
  const isEdit = update.message === undefined;
  const content = isEdit ? editNotice : readContent(message, bot);
  if (!content) return null;
  const isInTopic = message.is_topic_message === true && message.message_thread_id !== undefined;
  return {
    // Use the update id, because all edits of a message have the same message id.
    id: isEdit ? `edit:${update.update_id}` : String(message.message_id),
    thread: isInTopic ? toTopicThread(message.message_thread_id ?? 0) : null,
    replyTo: isEdit
      ? String(message.message_id)
      : message.reply_to_message
        ? String(message.reply_to_message.message_id)
        : null,
    isReplyToBot: !isEdit && message.reply_to_message?.from?.id === bot.botId,
    sender: isAnonymous ? null : { id: String(message.from.id), name: formatName(message.from) },
    content,
  };
}

const unsupported = (reason: string): IncomingContent => ({ kind: "unsupported", reason });

const editNotice = unsupported(
  "The visitor does not see changes to a message that was sent. Write a new message instead.",
);

function readContent(message: Message, { username: botUsername, download }: Bot): IncomingContent | null {
  if (message.forward_origin !== undefined) {
    return unsupported("Forwarded messages are not sent to the visitor. Write the answer in your own words.");
  }
  if (message.text === undefined) {
    const media = (Object.keys(mediaNames) as MediaKind[]).find((kind) => message[kind] !== undefined);
    if (media) return unsupported(`${mediaNames[media]} are not sent to the visitor, nor is their caption.`);
    const files = listFiles(message, download);
    return files.length > 0 ? { kind: "text", text: message.caption ?? "", files } : null;
  }
  const command = /^\/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]+))?(?:\s+([\s\S]*))?$/.exec(message.text);
  if (!command) return { kind: "text", text: message.text };
  const [, name = "", addressee, rest = ""] = command;
  const isForThisBot = addressee?.toLowerCase() === botUsername.toLowerCase();
  // In a group, `/help@other_bot` is meant for another bot. The usernames of all bots end in "bot".
  if (addressee && !isForThisBot && /bot$/i.test(addressee)) return null;
  // In `/assign@ada`, the space is missing.
  const argument = addressee && !isForThisBot ? `@${addressee} ${rest}` : rest;
  return { kind: "command", name: name.toLowerCase(), argument: argument.trim() };
}

function listFiles({ photo, document }: Message, download: Bot["download"]): IncomingFile[] {
  const picture = photo?.at(-1);
  const found = picture ? { file_id: picture.file_id, file_name: "photo.jpg" } : document;
  if (!found) return [];
  return [{ name: found.file_name ?? "", read: (signal) => download(found.file_id, signal) }];
}

function formatName({ id, first_name: first, last_name: last, username }: User): string {
  return [first, last].filter(Boolean).join(" ") || username || String(id);
}
