import type { NoticeChannelKind } from "@foyer/contract";
import type { ChatFormat } from "@foyer/contract/rules/chat-formats";
import type { Flag, Instant } from "./column-types.ts";

/** Tables for the notices about visitors who are waiting for a person. See inbox/notices/. */
export type NoticeTables = {
  noticeSettings: NoticeSettingsRow;
  pushSubscriptions: PushSubscriptionRow;
  noticeChannels: NoticeChannelRow;
  handoffTimers: HandoffTimerRow;
  serverKeys: ServerKeyRow;
};

/** The choices of a member about notices. Without a row, everything is on. */
export type NoticeSettingsRow = { organizationId: string; userId: string; email: Flag; push: Flag };

/** A member's browser and how to reach it through its push service. */
export type PushSubscriptionRow = {
  id: string;
  organizationId: string;
  userId: string;
  endpoint: string;
  /** the browser's public key, base64url */
  p256dh: string;
  /** the secret that it shares with this server, base64url */
  auth: string;
  label: string;
  /** the session that turned the notices on, which end with it; null once it has expired */
  sessionId: string | null;
  createdAt: Instant;
};

export type NoticeChannelRow = {
  id: string;
  organizationId: string;
  kind: NoticeChannelKind;
  name: string;
  /** set for a channel of the kind `webhook` */
  url: string | null;
  /** the format of the messages; null if the address decides */
  format: ChatFormat | null;
  isEnabled: Flag;
  /** why the last notice failed; null if it was delivered */
  lastError: string | null;
  lastSentAt: Instant | null;
  createdAt: Instant;
};

/**
 * The next action for a handoff, run at `dueAt` unless it is cancelled first. A conversation has at most one of each
 * kind.
 */
export type HandoffTimerRow = {
  conversationId: string;
  /**
   * `escalation`: no member took the request in time; `answer`: the visitor has not seen a member's message; `message`:
   * the member has not answered the visitor; `left`: the member has left the organization;
   * `target`: a target of the team will soon be missed; `rating`: the visitor was asked for a rating and has not seen it
   */
  kind: "escalation" | "answer" | "message" | "left" | "target" | "rating";
  organizationId: string;
  handoffId: string;
  /**
   * the number of escalations so far (-1: not announced yet; below: announced together with others), or the position of
   * the first message that the visitor has not seen
   */
  step: number;
  dueAt: Instant;
};

/** A key pair of this installation. */
export type ServerKeyRow = {
  name: "vapid";
  /** base64url */
  publicKey: string;
  /** encrypted, see encryption.ts */
  privateKey: string;
  createdAt: Instant;
};
