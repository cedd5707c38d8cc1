import type { ReplyTargetKind } from "@foyer/contract";
import { formatTime } from "../../format-time.ts";
import type { MailContent, MailPart } from "../../outbound/mail-content.ts";
import { removeLinks, toSingleLine, truncateText } from "../../outbox/message-text.ts";
import { type ChatAddress, formatTeamChatMessage } from "../../outbox/team-chat.ts";
import { targetDone } from "../teams/target-warnings.ts";

/** The facts about a request that a notice to the team contains. */
export type RequestFacts = {
  agentId: string;
  agentName: string;
  conversationId: string;
  /** the conversation's title, which is the beginning of its first message */
  title: string;
  visitorName: string | null;
  visitorEmail: string | null;
  reason: string | null;
  summary: string | null;
  requestedAt: number;
  promisedAt: number | null;
  /** how many times the request was escalated before this notice */
  step: number;
  /** of the agent's office hours; UTC without them */
  timeZone: string;
};

const MAX_SHOWN = 200;

/** The path on this server at which a member opens the conversation. */
const inboxPath = ({ agentId, conversationId }: Pick<RequestFacts, "agentId" | "conversationId">) =>
  `/dashboard/agents/${agentId}/conversations/${conversationId}`;

/** What a notice says to the member who has a conversation. */
type AssigneeFacts = Omit<RequestFacts, "requestedAt" | "promisedAt" | "step" | "timeZone">;
type AssigneeNotice = "assigned" | "message";

/**
 * The email to a member. Everything that a visitor or the model wrote is quoted on an indented line without its links,
 * because anyone can make the server send this email.
 */
export function requestMail(facts: RequestFacts, baseUrl: string): MailContent {
  const { requestedAt, promisedAt, step, timeZone } = facts;
  const agent = toSingleLine(facts.agentName);
  const since = formatTime(requestedAt, timeZone);
  const opening =
    step === 0
      ? `A visitor of ${agent} asked to talk to a person on ${since}.`
      : `A visitor of ${agent} has been waiting for a person since ${since}. Nobody has taken the conversation yet.`;
  const promise = promisedAt === null ? [] : [["Reply promised by", formatTime(promisedAt, timeZone)] as const];
  return {
    subject: requestSubject(facts),
    parts: [opening, listFacts(facts, promise), openConversation(facts, baseUrl), chooseNotifications(baseUrl)],
  };
}

function listFacts(
  { visitorName, visitorEmail, reason, title, summary }: AssigneeFacts,
  further: ReadonlyArray<readonly [label: string, value: string]> = [],
): MailPart {
  const all = [
    ["Visitor", [visitorName, visitorEmail].filter(Boolean).join(", ") || "anonymous"],
    ["Reason", reason],
    ["Conversation", title],
    ["Summary", summary],
    ...further,
  ] as const;
  return { type: "facts", facts: all.flatMap(([label, value]) => (value ? [[label, removeLinks(value)]] : [])) };
}

const openConversation = (facts: Pick<RequestFacts, "agentId" | "conversationId">, baseUrl: string): MailPart => ({
  type: "link",
  label: "Open the conversation:",
  url: `${baseUrl}${inboxPath(facts)}`,
});

const chooseNotifications = (baseUrl: string): MailPart => ({
  type: "link",
  label: "Choose how you are notified:",
  url: `${baseUrl}/dashboard/settings/notices`,
});

/** Names the visitor and the topic, so that mail clients do not sort different requests into one thread. */
function requestSubject({ agentName, visitorName, visitorEmail, reason, title, step }: RequestFacts): string {
  const visitor = truncateText(removeLinks(toSingleLine(visitorName ?? visitorEmail ?? "")) || "Someone", 80);
  const topic = truncateText(removeLinks(toSingleLine(removeLinks(reason ?? title))), 80);
  const subject = `${visitor} is ${step === 0 ? "" : "still "}waiting in ${agentName}${topic ? `: ${topic}` : ""}`;
  return truncateText(toSingleLine(subject), 250);
}

/** The notification in a member's browser. */
export function requestPush(facts: RequestFacts) {
  const visitor = truncateText(toSingleLine(facts.visitorName ?? facts.visitorEmail ?? "") || "A visitor", 60);
  return {
    title: facts.step === 0 ? `${visitor} wants to talk to a person` : `${visitor} is still waiting`,
    body: truncateText(toSingleLine(facts.reason ?? facts.title), MAX_SHOWN),
    url: inboxPath(facts),
    tag: facts.conversationId,
  };
}

/** The email to the member who has a conversation. What the visitor wrote is only in the inbox. */
export function createAssigneeMail(notice: AssigneeNotice, facts: AssigneeFacts, baseUrl: string): MailContent {
  const { agentName, visitorName, visitorEmail } = facts;
  const visitor = truncateText(removeLinks(toSingleLine(visitorName ?? visitorEmail ?? "")) || "A visitor", 80);
  const agent = toSingleLine(agentName);
  const opening = {
    assigned: `A colleague assigned a conversation of ${agent} to you.`,
    message: `A visitor of ${agent} has written to you while you were away. You get no further email until you answer.`,
  };
  const subject = {
    assigned: `${visitor} was assigned to you (${agentName})`,
    message: `${visitor} has written to you (${agentName})`,
  };
  return {
    subject: truncateText(toSingleLine(subject[notice]), 250),
    parts: [opening[notice], listFacts(facts), openConversation(facts, baseUrl), chooseNotifications(baseUrl)],
  };
}

/** The notification in the browser of the member who has a conversation. */
export function createAssigneePush(notice: AssigneeNotice, facts: AssigneeFacts) {
  const visitor = truncateText(toSingleLine(facts.visitorName ?? facts.visitorEmail ?? "") || "A visitor", 60);
  return {
    title: notice === "assigned" ? `${visitor} was assigned to you` : `${visitor} has written to you`,
    body: truncateText(toSingleLine(facts.reason ?? facts.title), MAX_SHOWN),
    url: inboxPath(facts),
    tag: facts.conversationId,
  };
}

/** A note that mentions a member. */
export type MentionFacts = {
  agentId: string;
  agentName: string;
  conversationId: string;
  title: string;
  authorName: string;
  text: string;
};

/** The email to a member whom a note mentions. */
export function mentionMail(facts: MentionFacts, baseUrl: string): MailContent {
  const { agentName, authorName, title, text } = facts;
  const author = truncateText(toSingleLine(authorName), 80);
  const quoted = { Conversation: title, Note: truncateText(text, MAX_SHOWN) };
  return {
    subject: truncateText(toSingleLine(`${author} mentioned you (${agentName})`), 250),
    parts: [
      `${author} mentioned you in a note on a conversation of ${toSingleLine(agentName)}.`,
      { type: "facts", facts: Object.entries(quoted).map(([label, value]) => [label, removeLinks(value)] as const) },
      openConversation(facts, baseUrl),
      chooseNotifications(baseUrl),
    ],
  };
}

/** The notification in the browser of a member whom a note mentions. */
export function mentionPush(facts: MentionFacts) {
  return {
    title: `${truncateText(toSingleLine(facts.authorName), 60)} mentioned you`,
    body: truncateText(toSingleLine(facts.text), MAX_SHOWN),
    url: inboxPath(facts),
    tag: facts.conversationId,
  };
}

/** The body for the incoming webhook of a team chat. */
export function requestChat(facts: RequestFacts, baseUrl: string, address: ChatAddress): string {
  const opening =
    facts.step === 0
      ? "{{visitor}} wants to talk to a person ({{agent}}): {{about}}"
      : "{{visitor}} is still waiting for a person ({{agent}}): {{about}}";
  const values = new Map([
    ["visitor", truncateText(toSingleLine(facts.visitorName ?? facts.visitorEmail ?? "") || "A visitor", 80)],
    ["agent", toSingleLine(facts.agentName)],
    ["about", truncateText(toSingleLine(facts.reason ?? facts.title), MAX_SHOWN)],
  ]);
  return formatTeamChatMessage(address, `${opening}\n${baseUrl}${inboxPath(facts)}`, (name) => values.get(name));
}

/** What a notice contains about a target that will soon be missed. */
export type TargetFacts = AssigneeFacts & { target: ReplyTargetKind; dueAt: number; timeZone: string };

/** The email about a target that will soon be missed. */
export function targetMail(facts: TargetFacts, baseUrl: string): MailContent {
  const agent = toSingleLine(facts.agentName);
  const visitor = truncateText(
    removeLinks(toSingleLine(facts.visitorName ?? facts.visitorEmail ?? "")) || "A visitor",
    80,
  );
  const until = formatTime(facts.dueAt, facts.timeZone);
  const opening = `A conversation of ${agent} should ${targetDone[facts.target]} by ${until}.`;
  return {
    subject: truncateText(toSingleLine(`${visitor} should ${targetDone[facts.target]} by ${until} (${agent})`), 250),
    parts: [opening, listFacts(facts), openConversation(facts, baseUrl), chooseNotifications(baseUrl)],
  };
}

/** The notification in a member's browser about a target. */
export function targetPush(facts: TargetFacts) {
  const visitor = truncateText(toSingleLine(facts.visitorName ?? facts.visitorEmail ?? "") || "A visitor", 60);
  return {
    title: `${visitor} should ${targetDone[facts.target]} by ${formatTime(facts.dueAt, facts.timeZone)}`,
    body: truncateText(toSingleLine(facts.reason ?? facts.title), MAX_SHOWN),
    url: inboxPath(facts),
    tag: facts.conversationId,
  };
}

/** The body for the incoming webhook of a team chat about a target. */
export function targetChat(facts: TargetFacts, baseUrl: string, address: ChatAddress): string {
  const opening = `{{visitor}} should ${targetDone[facts.target]} by ${formatTime(facts.dueAt, facts.timeZone)} ({{agent}}): {{about}}`;
  const values = new Map([
    ["visitor", truncateText(toSingleLine(facts.visitorName ?? facts.visitorEmail ?? "") || "A visitor", 80)],
    ["agent", toSingleLine(facts.agentName)],
    ["about", truncateText(toSingleLine(facts.reason ?? facts.title), MAX_SHOWN)],
  ]);
  return formatTeamChatMessage(address, `${opening}\n${baseUrl}${inboxPath(facts)}`, (name) => values.get(name));
}

/** Visitors who wait for a person, announced together because many asked within a short time. */
export type DigestFacts = { agentId: string; agentName: string; count: number };

const waitingPath = ({ agentId }: DigestFacts) => `/dashboard/agents/${agentId}/conversations?view=waiting`;
const countVisitors = (count: number) => (count === 1 ? "1 visitor is" : `${count} visitors are`);

/** The email to a member about several visitors. */
export function digestMail(facts: DigestFacts, baseUrl: string): MailContent {
  const agent = toSingleLine(facts.agentName);
  const opening = `${countVisitors(facts.count)} waiting for a person (${agent})`;
  return {
    subject: truncateText(opening, 250),
    parts: [
      `${opening}. Many visitors asked within a short time, so this is one email for all of them.`,
      { type: "link", label: "Open the inbox:", url: `${baseUrl}${waitingPath(facts)}` },
      chooseNotifications(baseUrl),
    ],
  };
}

/** The notification in a member's browser about several visitors. */
export function digestPush(facts: DigestFacts) {
  return {
    title: `${countVisitors(facts.count)} waiting`,
    body: truncateText(toSingleLine(facts.agentName), MAX_SHOWN),
    url: waitingPath(facts),
    tag: `waiting:${facts.agentId}`,
  };
}

/** @returns a function that creates the body for the incoming webhook of a team chat */
export function digestChat(facts: DigestFacts, baseUrl: string): (address: ChatAddress) => string {
  const template = `${countVisitors(facts.count)} waiting for a person ({{agent}})\n${baseUrl}${waitingPath(facts)}`;
  return (address) => formatTeamChatMessage(address, template, () => toSingleLine(facts.agentName));
}
