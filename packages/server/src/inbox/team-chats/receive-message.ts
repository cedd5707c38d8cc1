import { handoffLimits, type Message } from "@foyer/contract";
import { chatPlatforms } from "@foyer/contract/rules/chat-platforms";
import type { Transaction } from "kysely";
import { isDuplicate, isUnavailable } from "../../db/database-errors.ts";
import type { TeamChatRow, TeamChatThreadRow } from "../../db/tables/team-chats.ts";
import type { Tables } from "../../db/tables.ts";
import { afterCommit, inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import type { InboxService, Member } from "../service.ts";
import { toOneLine } from "./chat-text.ts";
import { type Assignee, findAssignee, parseSnooze } from "./command-arguments.ts";
import type { LinkCodes } from "./link-codes.ts";
import { formatTime } from "./post-text.ts";
import type { FileReceiver } from "./receive-files.ts";
import type { IncomingMessage, Sender } from "./team-chat.ts";
import type { ThreadStore } from "./thread-store.ts";

type Chat = Pick<TeamChatRow, "channelId" | "organizationId" | "platform">;
type Inbox = Pick<
  InboxService,
  "ownership" | "send" | "takeOver" | "returnToAgent" | "close" | "assign" | "resolve" | "snooze"
>;
type Parts = {
  store: ThreadStore;
  codes: LinkCodes;
  inbox: Inbox;
  receiveFiles: FileReceiver;
  notify: () => void;
};

type Received = { chat: Chat; message: IncomingMessage; thread: TeamChatThreadRow | undefined };
/** A message in a conversation's thread. */
type InThread = Received & { thread: TeamChatThreadRow };

/**
 * Handles one message of a team chat: sends it to the visitor, runs its command, or replies why neither is possible.
 * The message is recorded in the same transaction as its effect, so receiving it twice has no further effect. If the
 * database fails, the function rejects, and the message must be received again.
 */
export function createReceiver(deps: Pick<Deps, "db" | "log">, parts: Parts) {
  const { store } = parts;
  const answers = createAnswers(deps, parts);
  const inThread = createThreadActions(parts, answers);
  /** The message that last failed in each chat. */
  const failures = new Map<string, { id: string; count: number }>();

  function hasFailedTooOften({ channelId }: Chat, { id }: IncomingMessage): boolean {
    const last = failures.get(channelId);
    const count = last?.id === id ? last.count + 1 : 1;
    failures.set(channelId, { id, count });
    return count >= MAX_ATTEMPTS;
  }

  async function handle(chat: Chat, message: IncomingMessage): Promise<void> {
    const { content, sender } = message;
    // Check for an unknown post before looking up the thread. If the post is recorded between the two reads, the lookup
    // finds its thread.
    const isReplyToUnknown = await isReplyToUnknownPost(chat, message);
    const thread = await store.findThread(chat.channelId, message);
    if (content.kind === "command" && content.name === "link" && sender) {
      return answers.link(chat, message, { sender, code: content.argument });
    }
    if (thread && sender) return inThread({ chat, message, thread }, sender);
    if (thread) {
      const text = "Not sent: you are writing anonymously, so Foyer cannot tell who you are.";
      return answers.answer({ chat, message, thread }, text);
    }
    const isForBot = content.kind === "command" && (commands.has(content.name) || helpCommands.has(content.name));
    if (isReplyToUnknown && isForBot) return answers.answer({ chat, message, thread }, unknownThreadText);
    if (isForBot) return answers.answer({ chat, message, thread }, createHelpText(chat));
    if (isReplyToUnknown) return answers.answer({ chat, message, thread }, unknownPostText);
    // Ignore all other messages. They are a conversation within the team.
  }

  /** Whether the message replies to a post of the bot that is not recorded (yet), or whose conversation was deleted. */
  async function isReplyToUnknownPost({ channelId }: Chat, { isReplyToBot, replyTo, thread }: IncomingMessage) {
    const post = replyTo ?? thread;
    return isReplyToBot && post !== null && !(await store.isKnown(channelId, post));
  }

  return async (chat: Chat, message: IncomingMessage): Promise<void> => {
    if (await store.isKnown(chat.channelId, message.id)) return;
    try {
      await handle(chat, message);
      failures.delete(chat.channelId);
    } catch (error) {
      if (isUnavailable(error) || !hasFailedTooOften(chat, message)) throw error;
      const { channelId } = chat;
      deps.log.error({ err: error, channelId }, "a message of a team chat was skipped after several attempts");
      const text = "Not sent: the server could not process this message. See the server log.";
      await answers.answer({ chat, message, thread: undefined }, text);
    }
  };
}

/** The number of attempts after which a message is skipped, so that it does not block the messages after it. */
const MAX_ATTEMPTS = 5;

/** Replies to messages, each recorded together with its message. */
function createAnswers({ db }: Pick<Deps, "db">, { store, codes, notify }: Parts) {
  /** Runs `work`, which records the message. Does nothing if the message was recorded in the meantime. */
  async function processOnce(chat: Chat, message: IncomingMessage, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isDuplicate(error) && (await store.isKnown(chat.channelId, message.id))) return;
      throw error;
    }
  }

  return {
    once: processOnce,
    async answer({ chat, message, thread }: Received, text: string): Promise<void> {
      // The reply to an edit refers to the edited message.
      const replyTo = message.id.startsWith("edit:") ? message.replyTo : message.id;
      const post = { kind: "text" as const, text, replyTo };
      await processOnce(chat, message, () =>
        inTransaction(db, async (trx) => {
          await store.remember(trx, chat.channelId, { messageId: message.id, threadId: thread?.id ?? null });
          if (thread) await store.post(trx, thread, post);
          else await store.postOutside(trx, chat.channelId, { ...post, place: message.thread });
        }),
      );
      notify();
    },
    async link(
      chat: Chat,
      message: IncomingMessage,
      { sender, code }: { sender: Sender; code: string },
    ): Promise<void> {
      await processOnce(chat, message, () =>
        inTransaction(db, async (trx) => {
          await store.remember(trx, chat.channelId, { messageId: message.id, threadId: null });
          const member = await codes.redeem(trx, chat, { code, sender });
          const text = member
            ? `You are now linked to ${toOneLine(member.name, 100) || "your account in Foyer"}. Your replies in conversations go to the visitor.`
            : "This code is not valid or has expired. Create a new one in Foyer under Settings, Notifications.";
          const post = { kind: "text" as const, text, replyTo: message.id, place: message.thread };
          await store.postOutside(trx, chat.channelId, post);
        }),
      );
      notify();
    },
  };
}

/** @returns a function that forwards a message in a conversation's thread to the visitor, or runs its command */
function createThreadActions(
  { store, inbox, receiveFiles, notify }: Parts,
  { once, answer }: ReturnType<typeof createAnswers>,
) {
  async function runAction({ chat, message, thread }: InThread, content: Actionable, member: Member): Promise<void> {
    const { id: threadId, conversationId } = thread;
    if (content.kind === "text") {
      const { organizationId } = member;
      const uploaderId = chat.channelId;
      const place = { organizationId, conversationId, uploaderId };
      const ids = await receiveFiles(place, content.files ?? []);
      await inbox.send(member, conversationId, {
        content: content.text,
        attachments: { ids, uploaderId },
        keep: (trx, _agentId, sent) =>
          store.remember(trx, chat.channelId, { messageId: message.id, threadId, sentMessageId: (sent as Message).id }),
      });
      return;
    }
    const { name, argument } = content;
    if (name === "take" || name === "return" || name === "close") {
      await runHandoffCommand({ chat, message, thread }, { name, argument }, member);
    } else {
      await runOtherCommand({ chat, message, thread }, { name, argument }, member);
    }
  }

  /** Records a command together with its effect, and answers it with a text if there is one. */
  function recordCommand({ chat, message, thread }: InThread) {
    return async (trx: Transaction<Tables>, text: string | null): Promise<void> => {
      await store.remember(trx, chat.channelId, { messageId: message.id, threadId: thread.id });
      if (text === null) return;
      await store.post(trx, thread, { kind: "text", text, replyTo: message.id });
      afterCommit(trx, notify);
    };
  }

  async function runHandoffCommand(context: InThread, { name, argument }: Command, member: Member): Promise<void> {
    const { conversationId } = context.thread;
    const record = recordCommand(context);
    const onWrite = (trx: Transaction<Tables>) => record(trx, null);
    const { handler, assignee } = await inbox.ownership({ organizationId: member.organizationId }, conversationId);
    if (name === "take") {
      if (assignee?.userId === member.userId) return answer(context, "You have this conversation already.");
      await inbox.takeOver(member, conversationId, onWrite);
    } else if (handler === "agent") {
      await answer(context, "The agent has this conversation already.");
    } else if (name === "close") {
      await inbox.close(member, conversationId, { onWrite });
    } else {
      const note = argument.slice(0, handoffLimits.note) || null;
      await inbox.returnToAgent(member, conversationId, { note, onWrite });
    }
  }

  async function runOtherCommand(context: InThread, { name, argument }: Command, member: Member): Promise<void> {
    const { chat, thread } = context;
    const { conversationId } = thread;
    const record = recordCommand(context);
    if (name === "resolve") {
      return inbox.resolve(member, conversationId, (trx, isResolved) =>
        record(trx, isResolved ? "Resolved. It opens again when the visitor writes." : "It is resolved already."),
      );
    }
    if (name === "snooze") {
      const until = Date.now() + parseSnooze(argument, chatPlatforms[chat.platform].commandPrefix);
      const text = `Snoozed until ${formatTime(until)}, or until the visitor writes.`;
      return inbox.snooze(member, conversationId, { until, onWrite: (trx) => record(trx, text) });
    }
    const assignee = await readAssignee(chat, argument);
    if (assignee.kind === "team") {
      const text = `Assigned to ${toOneLine(assignee.name, 100)}.`;
      await inbox.assign(member, conversationId, { teamId: assignee.id, onWrite: (trx) => record(trx, text) });
      return;
    }
    const current = await inbox.ownership({ organizationId: member.organizationId }, conversationId);
    if (current.assignee?.userId === assignee.id) {
      return answer(context, `${toOneLine(assignee.name, 100) || "This member"} has this conversation already.`);
    }
    await inbox.assign(member, conversationId, { userId: assignee.id, onWrite: (trx) => record(trx, null) });
  }

  /** The member or team that is named, or the member who is linked to the person whom the argument mentions. */
  async function readAssignee(chat: Chat, argument: string): Promise<Assignee> {
    const [, mentioned] = /^@(\S+)$/.exec(argument) ?? [];
    const linked = mentioned === undefined ? undefined : await store.findMember(chat, mentioned);
    if (linked) return { id: linked.id, kind: "member", name: linked.name, email: null };
    const { commandPrefix } = chatPlatforms[chat.platform];
    if (chat.platform === "slack" && /^[UW][A-Z0-9]{5,}$/.test(mentioned ?? "")) {
      throw new AppError(
        "VALIDATION_ERROR",
        `this person is not linked to an account in Foyer. Write the name instead, such as ${commandPrefix}assign Ada.`,
      );
    }
    return findAssignee(await store.listAssignees(chat.organizationId), argument, commandPrefix);
  }

  return async (context: InThread, sender: Sender): Promise<void> => {
    const { chat, message } = context;
    const { content } = message;
    if (content.kind === "unsupported") return answer(context, content.reason);
    if (content.kind === "command" && !commands.has(content.name)) return answer(context, createHelpText(chat));
    const user = await store.findMember(chat, sender.id);
    if (!user) return answer(context, createNotLinkedText(chat, content));
    if (content.kind === "text") {
      const problem = findTextProblem(chat, content.text);
      if (problem !== null) return answer(context, problem);
    }
    const member = { organizationId: chat.organizationId, userId: user.id, name: user.name };
    try {
      await once(chat, message, () => runAction(context, content, member));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The thread of a conversation that was deleted is deleted with it.
      const problem =
        error.code === "NOT_FOUND"
          ? "this conversation or its agent is in the trash. Restore it in Foyer first."
          : error.message;
      await answer(context, `Not done: ${problem}`);
    }
  };
}

type Actionable = Exclude<IncomingMessage["content"], { kind: "unsupported" }>;
type Command = { name: string; argument: string };

const commands = new Set(["take", "return", "close", "resolve", "snooze", "assign"]);

/** Why a text is not sent to the visitor, or null. */
function findTextProblem({ platform }: Chat, text: string): string | null {
  if (text.length > handoffLimits.message) {
    return `Not sent: a message to the visitor has at most ${handoffLimits.message} characters.`;
  }
  // A command with a slip, such as `/snooze2h`, `/ resolve` or one for the other platform, is not meant for the visitor.
  const [, word = ""] = /^\s*[/!]\s*([a-z]+)/i.exec(text) ?? [];
  const command = [...commands].find((name) => word.toLowerCase().startsWith(name));
  if (command === undefined) return null;
  const { commandPrefix } = chatPlatforms[platform];
  return `Not sent to the visitor: this looks like the command ${commandPrefix}${command}. Write it exactly like this, with a space after it.`;
}

const helpCommands = new Set(["start", "help"]);

function createHelpText({ platform }: Chat): string {
  const prefix = chatPlatforms[platform].commandPrefix;
  return [
    "Reply in a conversation to write to its visitor. Commands in a conversation:",
    `${prefix}take takes it over without an answer.`,
    `${prefix}return [note] returns it to the agent; the visitor does not see the note.`,
    `${prefix}close ends it.`,
    `${prefix}resolve marks it as done.`,
    `${prefix}snooze 2h puts it away until then, or until the visitor writes.`,
    `${prefix}assign @name gives it to another member or a team.`,
    `${prefix}link CODE links you to your account in Foyer. The code is under Settings, Notifications.`,
  ].join("\n");
}

const unknownPostText =
  "Not sent to the visitor: Foyer cannot tell to which conversation this message belongs. If the message above was posted twice, reply to the newer one. If its conversation was deleted, nothing can be sent in it. Otherwise, send yours again.";

const unknownThreadText =
  "Not done: Foyer cannot tell to which conversation this command belongs. If the message above was posted twice, reply to the newer one. Otherwise, its conversation was deleted.";

function createNotLinkedText({ platform }: Chat, { kind }: Actionable): string {
  const prefix = chatPlatforms[platform].commandPrefix;
  const outcome = kind === "command" ? "Not done" : "Not sent to the visitor";
  return `${outcome}: you are not linked to an account in Foyer. Open Settings, Notifications in Foyer, choose “Link my account”, and send ${prefix}link with the code here.`;
}
