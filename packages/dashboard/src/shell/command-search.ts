import { searchTextLimits } from "@foyer/contract/rules/limits";
import { useQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { summarizeAnswers } from "../components/submitted-answers.ts";
import { toolTitle } from "../components/tool-title.ts";
import { type OnboardingProgress, useOnboarding } from "../data/onboarding.ts";
import { endpointQuery } from "../data/queries.ts";
import { chooseTheme } from "../data/theme.ts";
import { agentPages, canOpen, settingsPages } from "./destinations.tsx";
import { isMatch } from "./entry-match.ts";

/** An entry of the menu, which opens a page or runs an action. A search matches `keywords`, or the complete `id`. */
export type Entry = { id: string; label: string; hint?: string; keywords: string } & (
  | { link: LinkProps; run?: undefined }
  | { run: () => void; link?: undefined }
);
export type EntryGroup = { heading: string; entries: Entry[] };

type Agent = { id: string; name: string };

/** Maximum results per kind, and how many of the newest submissions are searched. */
const MAX_RESULTS = 5;
/** Fewer, because a frequent word is in the messages of many conversations. */
const MAX_CONVERSATIONS = 3;
const MAX_SUBMISSIONS = 100;
const MIN_LENGTH = 2;
const TYPING_MS = 250;
/** Shorter searches only list pages and agents, because they would match almost everything else. */
const isSearch = (text: string) => text.length >= MIN_LENGTH;

/** The menu's entries for a text: pages, agents and settings immediately, and the agent's content from the server. */
export function useEntryGroups(text: string, agents: readonly Agent[], current: Agent | undefined): EntryGroup[] {
  const search = text.trim();
  const progress = useOnboarding(current?.id);
  const role = useQuery(endpointQuery("getSession")).data?.role ?? null;
  const pages = current ? [{ heading: current.name, entries: toPageEntries(current) }] : [];
  const settings = settingsPages.filter((page) => canOpen(role, page));
  const found = useAgentContent(search, current);
  const groups: EntryGroup[] = [
    ...pages,
    { heading: "Agents", entries: [...continueEntries(progress, agents), ...agents.map(toAgentEntry), createEntry] },
    { heading: "Settings", entries: settings.map(toSettingsEntry) },
    { heading: "Actions", entries: [...(current ? createEntries(current) : []), ...themeEntries] },
  ];
  const matching = groups.map(({ heading, entries }) => ({
    heading,
    entries: entries.filter((entry) => isMatch(entry, search)),
  }));
  return [...matching, ...found].filter(({ entries }) => entries.length > 0);
}

/**
 * Tools, triggers, submissions, documents and conversations of the agent that match. One bounded request per kind, after a pause
 * in typing.
 */
function useAgentContent(search: string, agent: Agent | undefined): EntryGroup[] {
  const query = useDebounced(search);
  const agentId = agent?.id ?? "";
  const options = { enabled: agent !== undefined && isSearch(query), staleTime: 30_000 };
  const tools = useQuery({ ...endpointQuery("listTools", { agentId }), ...options }).data ?? [];
  const triggers = useQuery({ ...endpointQuery("listTriggers", { agentId }), ...options }).data ?? [];
  const submissions = useQuery({
    ...endpointQuery("listSubmissions", { agentId, limit: MAX_SUBMISSIONS }),
    ...options,
  }).data;
  const conversations = useQuery({
    ...endpointQuery("listConversations", {
      agentId,
      q: query.slice(0, searchTextLimits.conversations),
      limit: MAX_CONVERSATIONS,
    }),
    ...options,
  }).data;
  const documents = useQuery({
    ...endpointQuery("listDocuments", { agentId, q: query.slice(0, searchTextLimits.documents), limit: MAX_RESULTS }),
    ...options,
  }).data;
  if (!agent || !isSearch(search)) return [];
  const fields = new Map(tools.map(({ id, formSchema }) => [id, formSchema?.fields ?? []]));
  const pick = (entries: Entry[]) => entries.filter((entry) => isMatch(entry, search)).slice(0, MAX_RESULTS);
  return [
    { heading: "Tools", entries: pick(tools.map((tool) => toToolEntry(agentId, tool))) },
    { heading: "Triggers", entries: pick(triggers.map((trigger) => triggerEntry(agentId, trigger))) },
    {
      heading: "Submissions",
      entries: pick(
        (submissions?.submissions ?? []).map(({ id, toolId, toolName, formData }) => {
          const summary = summarizeAnswers(formData, fields.get(toolId) ?? [], id) || "No answers";
          return toSubmissionEntry(agentId, { id, toolName, summary });
        }),
      ),
    },
    // The server matched the documents by their title or address.
    { heading: "Documents", entries: (documents?.documents ?? []).map((one) => toDocumentEntry(agentId, one)) },
    // The server matched these by their title or messages.
    { heading: "Conversations", entries: (conversations?.data ?? []).map((one) => toConversationEntry(agentId, one)) },
  ];
}

/** The text, debounced. */
function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function toPageEntries({ id, name }: Agent): Entry[] {
  return agentPages.map((page) => ({
    id: page.to,
    label: page.name,
    keywords: `${name} ${page.name}`,
    link: { to: page.to, params: { agentId: id } },
  }));
}

function toAgentEntry({ id, name }: Agent): Entry {
  return { id, label: name, keywords: `agent ${name}`, link: { to: "/agents/$agentId", params: { agentId: id } } };
}

/** The entry that continues an unfinished onboarding. */
function continueEntries(progress: OnboardingProgress | null, agents: readonly Agent[]): Entry[] {
  const agent = agents.find(({ id }) => id === progress?.agentId);
  if (!progress || !agent) return [];
  const label = "Finish setup";
  return [
    {
      id: "continue",
      label,
      keywords: `${label} ${agent.name} guide`,
      link: { to: "/start", search: { agentId: agent.id, step: progress.step } },
    },
  ];
}

const createEntry: Entry = {
  id: "create",
  label: "Create agent",
  keywords: "create new agent",
  link: { to: "/start" },
};

function createEntries({ id }: Agent): Entry[] {
  const params = { agentId: id };
  return [
    {
      id: "create-tool",
      label: "Create tool",
      keywords: "create new tool",
      link: { to: "/agents/$agentId/tools/new", params },
    },
    {
      id: "create-trigger",
      label: "Create trigger",
      keywords: "create new trigger",
      link: { to: "/agents/$agentId/triggers/new", params },
    },
  ];
}

const themeEntries: Entry[] = (["light", "dark", "system"] as const).map((theme) => {
  const label = theme === "system" ? "Match the system's theme" : `Switch to the ${theme} theme`;
  return { id: `theme-${theme}`, label, keywords: `${label} switch theme`, run: () => chooseTheme(theme) };
});

function toDocumentEntry(agentId: string, { id, title }: { id: string; title: string }): Entry {
  return {
    id,
    label: title,
    keywords: title,
    link: { to: "/agents/$agentId/knowledge/$documentId", params: { agentId, documentId: id } },
  };
}

function toSettingsEntry({ name, to }: (typeof settingsPages)[number]): Entry {
  return { id: to, label: name, keywords: `settings ${name}`, link: { to } };
}

function toToolEntry(agentId: string, { id, name }: Agent): Entry {
  const label = toolTitle(name);
  return {
    id,
    label,
    keywords: `${name} ${label}`,
    link: { to: "/agents/$agentId/tools/$toolId", params: { agentId, toolId: id } },
  };
}

function triggerEntry(agentId: string, { id, name }: Agent): Entry {
  return {
    id,
    label: name,
    keywords: name,
    link: { to: "/agents/$agentId/triggers/$triggerId", params: { agentId, triggerId: id } },
  };
}

function toSubmissionEntry(agentId: string, submission: { id: string; toolName: string; summary: string }): Entry {
  const { id, toolName, summary } = submission;
  const form = toolTitle(toolName);
  return {
    id,
    label: summary,
    hint: form,
    keywords: `${summary} ${toolName} ${form}`,
    link: { to: "/agents/$agentId/forms/$submissionId", params: { agentId, submissionId: id } },
  };
}

function toConversationEntry(agentId: string, { id, title }: { id: string; title: string }): Entry {
  return {
    id,
    label: title || "Untitled conversation",
    keywords: title,
    link: { to: "/agents/$agentId/conversations/$conversationId", params: { agentId, conversationId: id } },
  };
}
