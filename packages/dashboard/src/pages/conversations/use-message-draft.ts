import type { Attachment } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { api } from "../../data/api.ts";
import { endpointQuery, queryClient } from "../../data/queries.ts";
import type { ComposerMode, ReplyActions } from "./composer-text.ts";

/** What a member has written and not sent. */
export type DraftContent = { text: string; attachments: readonly Attachment[]; actions: ReplyActions | null };

/** The draft of a conversation that the composer edits. */
type Place = { id: string; mode: ComposerMode };

/** An edit that the server does not have yet. */
type Unsaved = {
  content: DraftContent;
  /** Whether the member began to write before the draft was loaded. */
  isBlind: boolean;
  isSaving: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
};

/** How long the member must pause before the draft is saved, in milliseconds. */
const PAUSE_MS = 500;
/** How long to wait before a failed save is repeated, in milliseconds. */
const RETRY_MS = 5_000;

const empty: DraftContent = { text: "", attachments: [], actions: null };
const unsaved = new Map<string, Unsaved>();
const listeners = new Set<() => void>();

const keyOf = ({ id, mode }: Place) => `${mode} ${id}`;
const draftsQuery = (id: string) => endpointQuery("listMessageDrafts", { id });

/**
 * The draft of a reply or a note. The server keeps it for the member: it appears on every device on which the member
 * opens the conversation, until it is sent on one of them. What this page has not saved yet takes precedence.
 */
export function useMessageDraft(id: string, mode: ComposerMode) {
  const place = { id, mode };
  const { data } = useQuery({ ...draftsQuery(id), staleTime: 0 });
  const edited = useSyncExternalStore(subscribe, () => unsaved.get(keyOf(place))?.content);
  useEffect(() => {
    const saveNow = () => void save({ id, mode });
    const handleHide = () => document.hidden && saveNow();
    document.addEventListener("visibilitychange", handleHide);
    return () => {
      document.removeEventListener("visibilitychange", handleHide);
      saveNow();
    };
  }, [id, mode]);
  return {
    content: edited ?? data?.find((draft) => draft.mode === mode) ?? empty,
    change: (part: Partial<DraftContent>) => change(place, part),
    /** Ends the draft after it was sent. `rest` is what the member has typed in the meantime. */
    end: (rest: string) => end(place, rest),
    /** The current content, which may be newer than the last render. */
    read: () => read(place),
  };
}

function read(place: Place): DraftContent {
  const saved = queryClient.getQueryData(draftsQuery(place.id).queryKey);
  return unsaved.get(keyOf(place))?.content ?? saved?.find(({ mode }) => mode === place.mode) ?? empty;
}

function change(place: Place, part: Partial<DraftContent>): void {
  const { text, attachments, actions } = { ...read(place), ...part };
  set(place, { text, attachments, actions });
}

function set(place: Place, content: DraftContent): void {
  const key = keyOf(place);
  const isBlind = queryClient.getQueryData(draftsQuery(place.id).queryKey) === undefined;
  const entry = unsaved.get(key) ?? { content, isBlind, isSaving: false, timer: undefined };
  entry.content = content;
  unsaved.set(key, entry);
  schedule(place, entry, PAUSE_MS);
  announce();
}

function end(place: Place, rest: string): void {
  const key = keyOf(place);
  const entry = unsaved.get(key);
  clearTimeout(entry?.timer);
  showSaved(place, null);
  // A save that is under way may reach the server after the message, so an empty draft has to follow it.
  if (rest !== "" || entry?.isSaving) {
    set(place, { ...empty, text: rest });
  } else {
    unsaved.delete(key);
    announce();
  }
}

function schedule(place: Place, entry: Unsaved, delay: number): void {
  clearTimeout(entry.timer);
  entry.timer = setTimeout(() => void save(place), delay);
}

/** Saves the draft, one request at a time, so that the last edit of this page arrives last. */
async function save(place: Place): Promise<void> {
  const { id, mode } = place;
  const entry = unsaved.get(keyOf(place));
  if (!entry || entry.isSaving) return;
  clearTimeout(entry.timer);
  entry.isSaving = true;
  try {
    if (entry.isBlind) await addToSaved(place, entry);
    const { content } = entry;
    const { text, actions } = content;
    const attachments = content.attachments.map((attachment) => attachment.id);
    const saved = await api.putMessageDraft({ id, mode, body: { text, attachments, actions } });
    entry.isSaving = false;
    if (entry.content !== content) return schedule(place, entry, PAUSE_MS);
    // A response that is under way may be older than the save.
    await queryClient.cancelQueries({ queryKey: draftsQuery(id).queryKey });
    showSaved(place, saved);
    unsaved.delete(keyOf(place));
    announce();
  } catch (error) {
    entry.isSaving = false;
    // Otherwise, the conversation or the session is gone. The text stays in this page.
    if (error instanceof FoyerError && error.isTemporary) schedule(place, entry, RETRY_MS);
  }
}

/** Puts what was written before the draft had been loaded after the draft. */
async function addToSaved({ id, mode }: Place, entry: Unsaved): Promise<void> {
  const drafts = await queryClient.fetchQuery({ ...draftsQuery(id), staleTime: Number.POSITIVE_INFINITY });
  entry.isBlind = false;
  const saved = drafts.find((draft) => draft.mode === mode);
  if (!saved) return;
  const { text, attachments, actions } = entry.content;
  entry.content = {
    text: [saved.text, text].filter((part) => part !== "").join("\n"),
    attachments: [...saved.attachments, ...attachments],
    actions: actions ?? saved.actions,
  };
  announce();
}

function showSaved({ id, mode }: Place, saved: Awaited<ReturnType<typeof api.putMessageDraft>>): void {
  queryClient.setQueryData(draftsQuery(id).queryKey, (drafts = []) => [
    ...drafts.filter((draft) => draft.mode !== mode),
    ...(saved ? [saved] : []),
  ]);
}

function announce(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
