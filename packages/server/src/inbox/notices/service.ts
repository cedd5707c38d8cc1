import {
  maxNoticeChannels,
  maxPushSubscriptions,
  type NoticeChannel,
  type NoticeChannelChanges,
  type NoticeChannelCreate,
  type NoticeReach,
  type NoticeSettings,
  type NoticeTest,
  type PushDevice,
  type TeamChatView,
} from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { NoticeChannelRow, PushSubscriptionRow } from "../../db/tables/notices.ts";
import type { Deps } from "../../deps.ts";
import { AppError, checkAll, invalid, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import type { AttemptResult } from "../../outbox/attempts.ts";
import { hideAddress, hideAddresses } from "../../outbox/hide-address.ts";
import { createPost, explainFailure } from "../../outbox/send-response.ts";
import { formatTeamChatMessage } from "../../outbox/team-chat.ts";
import type { TeamChats } from "../team-chats/team-chats.ts";
import { arePushKeys } from "./push-encryption.ts";
import type { PushKeyPair } from "./push-keys.ts";
import { isGone, type SendPush } from "./send-push.ts";
import type { NoticeStore } from "./store.ts";

type Member = { organizationId: string; userId: string };
type Parts = {
  store: NoticeStore;
  keys: () => Promise<PushKeyPair>;
  sendPush: SendPush;
  teamChats: Pick<TeamChats, "settings" | "test">;
};
type ServiceDeps = Pick<Deps, "config" | "outbound" | "mailer" | "log">;
type Subscription = { endpoint: string; keys: { p256dh: string; auth: string }; label?: string };

export type NoticeService = ReturnType<typeof createNoticeService>;

/** Manages how members and team chats are notified. */
export function createNoticeService(deps: ServiceDeps, parts: Parts) {
  return { ...memberSettings(deps, parts), ...channels(deps, parts) };
}

/** The path on this server that a test notice links to. */
const testLink = "/dashboard/settings/notices";

function memberSettings({ mailer, outbound, config, log }: ServiceDeps, { store, keys, sendPush }: Parts) {
  async function get(member: Member): Promise<NoticeSettings> {
    const { email, push } = await store.choices(member);
    const devices = await store.devices(member);
    return { email: email === 1, push: push === 1, canEmail: mailer.isConfigured, devices: devices.map(toDevice) };
  }
  return {
    get,
    async put(member: Member, { email, push }: { email?: boolean; push?: boolean }): Promise<NoticeSettings> {
      await store.choose(member, omitUndefined({ email: toFlag(email), push: toFlag(push) }));
      return get(member);
    },
    /** How many recipients a request for a person has. */
    async reach(organizationId: string): Promise<NoticeReach> {
      const { email, push, channels } = await store.countRecipients(organizationId);
      return { email: mailer.isConfigured ? email : 0, push, channels };
    },
    /** Sends a test to the member's own address. */
    async testEmail(to: string): Promise<NoticeTest> {
      if (!mailer.isConfigured) {
        return { isDelivered: false, error: "Email is not configured", detail: "Set SMTP_URL on the server." };
      }
      const parts = [
        "Notifications by email work. You get an email when a visitor waits for a person and it is your turn to answer.",
        { type: "link", label: "Choose how you are notified:", url: `${config.baseUrl}${testLink}` } as const,
      ];
      try {
        await mailer.send({ to, subject: "Test notification from Foyer", parts });
        return { isDelivered: true, error: null, detail: null };
      } catch (error) {
        return toTest(explainFailure(error, new AbortController().signal, log));
      }
    },
    async pushKey(): Promise<{ publicKey: string }> {
      return { publicKey: (await keys()).publicKey };
    },
    /**
     * Notifies a browser until the member signs out in it.
     * @throws 400 for an endpoint that must not be called, or for keys that cannot encrypt
     */
    async subscribe(
      { sessionId, ...member }: Member & { sessionId: string },
      { endpoint, keys: pushKeys, label }: Subscription,
    ): Promise<PushDevice> {
      checkAll([
        () => checkUrl("endpoint", endpoint, outbound),
        () => {
          if (!arePushKeys(pushKeys)) throw invalid("keys", "are not the keys of a push subscription", "format");
        },
      ]);
      const row: PushSubscriptionRow = {
        id: newId("push"),
        ...member,
        endpoint,
        ...pushKeys,
        label: label?.trim() || "Browser",
        sessionId,
        createdAt: Date.now(),
      };
      await store.addDevice(row, maxPushSubscriptions);
      return toDevice(row);
    },
    async unsubscribe(member: Member, id: string): Promise<void> {
      if (!isId("push", id) || !(await store.deleteDevice(member, id))) throw notFound("Push subscription");
    },
    async testDevice(member: Member, id: string): Promise<NoticeTest> {
      const device = isId("push", id) ? await store.device(member, id) : undefined;
      if (!device) throw notFound("Push subscription");
      const message = {
        title: "Notifications work on this device",
        body: "You are notified here when a visitor waits for a person.",
        url: testLink,
        tag: "test",
      };
      const answer = await sendPush(device, message, new AbortController().signal);
      if (isGone(answer.status)) await store.deleteDevice(member, id);
      return toTest(answer);
    },
  };
}

function channels(deps: ServiceDeps, { store, teamChats }: Parts) {
  const { settings } = teamChats;
  const { outbound, config, log } = deps;
  const post = createPost(deps);
  async function findChannel(organizationId: string, id: string): Promise<NoticeChannelRow> {
    const row = isId("channel", id) ? await store.channel(organizationId, id) : undefined;
    if (!row) throw notFound("Notice channel");
    return row;
  }
  async function toChannelView(row: NoticeChannelRow): Promise<NoticeChannel> {
    return toChannel(row, await settings.views(row.organizationId));
  }

  return {
    /** @param options.isAdmin whether the caller may change channels, and therefore sees their complete addresses */
    async channels(organizationId: string, { isAdmin }: { isAdmin: boolean }): Promise<NoticeChannel[]> {
      const views = await settings.views(organizationId);
      const channels = (await store.channels(organizationId)).map((row) => toChannel(row, views));
      return isAdmin ? channels : channels.map(toMemberView);
    },
    /**
     * @throws 400 for a missing URL or one that must not be called, and for a bot that cannot use its chat; 409 when
     * there are too many channels, or another one has the bot
     */
    async createChannel(organizationId: string, input: NoticeChannelCreate): Promise<NoticeChannel> {
      const { kind, name, url, format, isEnabled } = input;
      const chat = kind === "webhook" ? null : await settings.check(kind, input);
      if (kind === "webhook") {
        if (url === undefined) throw invalid("url", "is required for a webhook", "required");
        checkUrl("url", url, outbound);
      }
      const row: NoticeChannelRow = {
        id: newId("channel"),
        organizationId,
        kind,
        name: name.trim(),
        url: chat ? null : (url ?? null),
        format: chat ? null : (format ?? null),
        isEnabled: isEnabled === false ? 0 : 1,
        lastError: null,
        lastSentAt: null,
        createdAt: Date.now(),
      };
      const isAdded = await store.addChannel(row, maxNoticeChannels, async (trx) => {
        if (chat) await settings.insert(trx, row, chat);
      });
      if (isAdded) return toChannelView(row);
      throw new AppError("CONFLICT", `An organization can have at most ${maxNoticeChannels} notice channels.`);
    },
    async updateChannel(organizationId: string, id: string, changes: NoticeChannelChanges): Promise<NoticeChannel> {
      const { kind } = await findChannel(organizationId, id);
      const { name, url, format, isEnabled, chatId, botToken, appToken } = changes;
      if (url !== undefined) checkUrl("url", url, outbound);
      const stored = await settings.stored(organizationId, id);
      const hasNewBot = chatId !== undefined || botToken !== undefined || appToken !== undefined;
      const chat = kind !== "webhook" && stored && hasNewBot ? await settings.check(kind, changes, stored) : null;
      const newSettings = omitUndefined({
        name: name?.trim(),
        url: stored ? undefined : url,
        format: stored ? undefined : format,
        isEnabled: toFlag(isEnabled),
      });
      const row = await store.updateChannel(organizationId, id, {
        changes: newSettings,
        onWrite: async (trx) => {
          if (stored && chat) await settings.update(trx, stored, chat);
          if (stored && isEnabled !== undefined) await settings.setEnabled(trx, id, isEnabled);
        },
      });
      if (!row) throw notFound("Notice channel");
      return toChannelView(row);
    },
    async deleteChannel(organizationId: string, id: string): Promise<void> {
      if (!isId("channel", id) || !(await store.deleteChannel(organizationId, id))) throw notFound("Notice channel");
    },
    /** Sends a notice now, even to a disabled channel. */
    async testChannel(organizationId: string, id: string): Promise<NoticeTest> {
      const { url, format } = await findChannel(organizationId, id);
      const stored = await settings.stored(organizationId, id);
      const text = `Notifications work in this channel. Foyer writes here when a visitor waits for a person: ${config.baseUrl}${testLink}`;
      if (stored) return toTest(await teamChats.test(stored, text));
      const body = formatTeamChatMessage({ webhookUrl: url ?? "", format }, text, () => undefined);
      const { signal } = new AbortController();
      const answer = await post({ url: url ?? "", organizationId, headers: {}, body, signal }).catch((error: unknown) =>
        explainFailure(error, signal, log),
      );
      return toTest(answer);
    },
  };
}

function checkUrl(path: string, url: string, outbound: Deps["outbound"]): void {
  try {
    outbound.checkUrl(url);
  } catch (error) {
    throw error instanceof OutboundError ? invalid(path, error.message, "not_allowed") : error;
  }
}

const toFlag = (value: boolean | undefined) => (value === undefined ? undefined : value ? 1 : 0);
const toIsoDate = (instant: number) => new Date(instant).toISOString();

function toDevice({ id, label, endpoint, createdAt }: PushSubscriptionRow): PushDevice {
  return { id, label, endpoint, createdAt: toIsoDate(createdAt) };
}

function toChannel(
  { lastSentAt, createdAt, isEnabled, organizationId: _, ...row }: NoticeChannelRow,
  views: Map<string, TeamChatView>,
): NoticeChannel {
  return {
    ...row,
    teamChat: views.get(row.id) ?? null,
    isEnabled: isEnabled === 1,
    lastSentAt: lastSentAt === null ? null : toIsoDate(lastSentAt),
    createdAt: toIsoDate(createdAt),
  };
}

function toMemberView({ url, lastError, ...channel }: NoticeChannel): NoticeChannel {
  return {
    ...channel,
    url: url === null ? null : hideAddress(url),
    lastError: lastError === null ? null : hideAddresses(lastError),
  };
}

const toTest = ({
  error,
  detail,
  status,
  response,
}: Pick<AttemptResult, "error" | "detail"> & Partial<AttemptResult>): NoticeTest => ({
  isDelivered: error === null,
  error,
  detail,
  status: status ?? null,
  response: response || null,
});
