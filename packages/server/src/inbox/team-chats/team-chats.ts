import { chatPlatforms } from "@foyer/contract/rules/chat-platforms";
import type { AgentService } from "../../agents/service.ts";
import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { ConversationService } from "../../conversations/service.ts";
import type { TeamChatRow } from "../../db/tables/team-chats.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../errors.ts";
import { isId } from "../../ids.ts";
import type { AttemptResult } from "../../outbox/attempts.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import type { InboxService } from "../service.ts";
import { createBotQueue } from "./bot-queue.ts";
import { createChatSettings, createOpenChat } from "./chat-settings.ts";
import { createPostHandler } from "./deliver-post.ts";
import { createChatFollower } from "./follow-chats.ts";
import { createLinkCodes } from "./link-codes.ts";
import { createFileReceiver } from "./receive-files.ts";
import { createReceiver } from "./receive-message.ts";
import { TeamChatError } from "./team-chat.ts";
import { createThreadStore } from "./thread-store.ts";

type Parts = {
  outbox: Outbox;
  inbox: InboxService;
  agents: AgentService;
  conversations: ConversationService;
  attachments: AttachmentService;
};
export type TeamChats = ReturnType<typeof createTeamChats>;

/** Creates the parts of the team chat bots with which members answer visitors: posting, receiving and settings. */
export function createTeamChats(deps: Deps, parts: Parts) {
  const { outbox, inbox, attachments } = parts;
  const store = createThreadStore(deps, outbox);
  const codes = createLinkCodes(deps);
  const openChat = createOpenChat(deps);
  const settings = createChatSettings(deps, openChat);
  const { notify } = outbox.worker;

  async function findTeamChat(organizationId: string, channelId: string): Promise<TeamChatRow> {
    const stored = isId("channel", channelId) ? await settings.stored(organizationId, channelId) : undefined;
    if (!stored) throw notFound("Team chat");
    return stored;
  }

  outbox.register("team_chat", createPostHandler(deps, { store, outbox, attachments, open: openChat.open }));
  return {
    worker: createChatFollower({
      queue: createBotQueue(deps),
      open: openChat.open,
      receive: createReceiver(deps, { store, codes, inbox, receiveFiles: createFileReceiver(parts), notify }),
      log: deps.log,
    }),
    settings,
    /** Posts a text outside of any conversation's thread. Failures are part of the result. */
    async test(row: TeamChatRow, text: string): Promise<Pick<AttemptResult, "error" | "detail">> {
      const deadline = AbortSignal.timeout(TEST_MS);
      try {
        await openChat.open(row).post({ text, thread: null }, deadline);
        return { error: null, detail: null };
      } catch (error) {
        if (error instanceof TeamChatError) return { error: "Not accepted by the team chat", detail: error.message };
        if (deadline.aborted) return { error: "Timed out", detail: "The platform did not respond in time." };
        throw error;
      }
    },
    /** Creates a one-time code for a member. @throws 404 when the organization has no such bot */
    async createCode(organizationId: string, channelId: string, userId: string) {
      const stored = await findTeamChat(organizationId, channelId);
      const { code, expiresAt } = await codes.create(channelId, userId);
      const command = `${chatPlatforms[stored.platform].commandPrefix}link ${code}`;
      return { code, command, expiresAt: new Date(expiresAt).toISOString() };
    },
    /** Removes a member's link. @throws 404 when the organization has no such bot */
    async unlink(organizationId: string, channelId: string, userId: string): Promise<void> {
      await findTeamChat(organizationId, channelId);
      await settings.unlink(channelId, userId);
    },
  };
}

const TEST_MS = 15_000;
