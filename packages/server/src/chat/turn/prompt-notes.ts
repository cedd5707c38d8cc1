import type { HistoryRow } from "../../conversations/log/queries.ts";

/**
 * Something outside the chat that the model should know about, such as a form submission.
 *
 * A note with a finite `createdAt` in milliseconds is an event. It belongs before the message that follows it, and is
 * told once, by its `id`. `Number.POSITIVE_INFINITY` marks the state at the newest message. With an `id`, it is told
 * when it has changed, and a turn without it leaves it out of the earlier messages. Without an `id`, it is told with
 * every turn.
 */
export type Note = {
  createdAt: number;
  text: string;
  id?: string;
  /** whether the text is not stored again with the reply, because what it describes can be deleted */
  isReference?: boolean;
};

/** A note as it was sent. A reference has no text. */
type SentNote = { id?: string; text?: string; isState?: boolean };

/** What a prompt contained besides the stored messages, so that later prompts begin with the same bytes. */
export type PromptState = {
  /** the position of the first message */
  start: number;
  /** the notes of this turn, by the id of the visitor's message that they precede */
  notes: Record<string, SentNote[]>;
};

export function parsePromptState({ promptState }: Pick<HistoryRow, "promptState">): PromptState | null {
  return promptState === null ? null : JSON.parse(promptState);
}

/**
 * Places the notes. Visitors' messages that a reply has answered keep the notes with which they were sent.
 * @returns `textsOf` with the texts before a message, the texts of notes that no message follows, and the placed notes,
 * which are stored with the reply
 */
export function placeNotes(history: readonly HistoryRow[], notes: readonly Note[]) {
  const states = history.map(parsePromptState);
  const sent: PromptState["notes"] = Object.assign({}, ...states.map((state) => state?.notes));
  const isAnswered = new Set(
    history.slice(
      0,
      Math.max(
        0,
        states.findLastIndex((state) => state !== null),
      ),
    ),
  );
  const open = history.filter((row) => row.role === "user" && !isAnswered.has(row));
  const isTold = createTellCheck(Object.values(sent).flat());
  const last = history.at(-1)?.role === "user" ? open.at(-1) : undefined;
  const placed: PromptState["notes"] = {};
  const unplaced: string[] = [];
  for (const note of notes.filter((one) => !isTold(one))) {
    const { id, text, isReference, createdAt } = note;
    const row = open.find((message) => message.createdAt >= createdAt) ?? last;
    if (!row) unplaced.push(text);
    else {
      const isState = id !== undefined && !Number.isFinite(createdAt);
      placed[row.id] ??= [];
      placed[row.id]?.push({
        ...(id === undefined ? {} : { id }),
        ...(isReference ? {} : { text }),
        ...(isState ? { isState } : {}),
      });
    }
  }
  const texts = new Map(notes.map(({ id, text }) => [id, text]));
  const textsOf = ({ id }: Pick<HistoryRow, "id">) =>
    (placed[id] ?? sent[id] ?? [])
      .filter((note) => !note.isState || texts.has(note.id))
      .flatMap((note) => note.text ?? texts.get(note.id) ?? []);
  return { textsOf, unplaced, placed };
}

function createTellCheck(sent: readonly SentNote[]): (note: Note) => boolean {
  const lastById = new Map(sent.map((note) => [note.id, note]));
  return ({ id, createdAt, text }) => {
    if (id === undefined || !lastById.has(id)) return false;
    return Number.isFinite(createdAt) || lastById.get(id)?.text === text;
  };
}
