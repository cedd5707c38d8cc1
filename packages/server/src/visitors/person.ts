import { maxNotes, type VisitorNote, type VisitorProfile } from "@foyer/contract";
import { toInitials } from "@foyer/contract/rules/initials";
import { identityLevel } from "../agents/identity/identity-level.ts";
import { toRating } from "../conversations/rating-view.ts";
import { toPreview } from "../conversations/service.ts";
import { type Person, readVisitorKey } from "../conversations/visitor-key.ts";
import type { VisitorNoteRow } from "../db/tables/notes.ts";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../errors.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import { isId, newId } from "../ids.ts";
import { createPersonStore } from "./person-store.ts";
import { createVisitorNoteStore } from "./visitor-notes.ts";

type NewNote = { author: { userId: string | null; name: string }; text: string; keep: SaveResponse | undefined };

export type PersonService = ReturnType<typeof createPersonService>;

/** What the team knows about one visitor: identity, conversations, submissions, pages and notes. */
export function createPersonService(deps: Pick<Deps, "db" | "reads" | "databaseKind" | "encryption">) {
  const store = createPersonStore(deps);
  const notes = createVisitorNoteStore(deps.db);

  /** @throws 404 */
  function findPerson(organizationId: string, key: string): Person {
    const person = readVisitorKey(deps.encryption, organizationId, key);
    if (!person) throw notFound("Visitor");
    return person;
  }

  return {
    /** @throws 404 when no conversation of the visitor is left */
    async get(organizationId: string, key: string): Promise<VisitorProfile> {
      const person = findPerson(organizationId, key);
      const { rows, total, firstAt } = await store.conversations(organizationId, person);
      const [newest] = rows;
      if (!newest) throw notFound("Visitor");
      const ids = rows.map(({ id }) => id);
      const submissions = await store.submissions(organizationId, person, ids);
      const pages = await store.pages(organizationId, ids);
      const proven = rows.find(({ verifiedVisitor }) => verifiedVisitor !== null)?.verifiedVisitor ?? null;
      const attributes = rows.find(({ userMetadata }) => userMetadata !== null)?.userMetadata ?? null;
      return {
        key,
        identity: identityLevel({
          isVerified: newest.isUserVerified === 1,
          claimed: [newest.userId, newest.userEmail, newest.userName],
        }),
        userId: newest.userId,
        userEmail: rows.find(({ userEmail }) => userEmail !== null)?.userEmail ?? null,
        userName: rows.find(({ userName }) => userName !== null)?.userName ?? null,
        visitor: proven === null ? null : JSON.parse(proven),
        userMetadata: attributes === null ? null : JSON.parse(attributes),
        context: newest.context === null ? null : JSON.parse(newest.context),
        firstSeenAt: toIso(firstAt ?? newest.createdAt),
        lastSeenAt: toIso(Math.max(...rows.map(({ updatedAt }) => updatedAt))),
        conversationCount: total,
        conversations: rows.map((row) => ({
          id: row.id,
          agentId: row.agentId,
          agentName: row.agentName,
          title: row.title,
          messageCount: row.messageCount,
          handler: row.handler,
          isTest: row.isTest === 1,
          lastMessage: toPreview(row),
          rating: toRating(row),
          createdAt: toIso(row.createdAt),
          updatedAt: toIso(row.updatedAt),
        })),
        submissions: submissions.map((row) => ({
          id: row.id,
          agentId: row.agentId,
          agentName: row.agentName,
          toolName: row.toolName,
          status: row.status,
          conversationId: row.conversationId,
          createdAt: toIso(row.createdAt),
        })),
        pages: toPages(pages),
        notes: (await notes.list({ organizationId, person })).map(toNote),
      };
    },
    /** @throws 404, or 409 when the visitor has too many notes */
    async createNote(organizationId: string, key: string, { author, text, keep }: NewNote): Promise<VisitorNote> {
      const person = findPerson(organizationId, key);
      if (!(await store.exists(organizationId, person))) throw notFound("Visitor");
      const row: VisitorNoteRow = {
        id: newId("note"),
        organizationId,
        ...person,
        authorId: author.userId,
        authorName: author.name,
        text: text.trim(),
        createdAt: Date.now(),
      };
      const note = toNote(row);
      if (await notes.insert(row, async (trx) => keep?.(trx, null, note))) return note;
      throw new AppError("CONFLICT", `This visitor has ${maxNotes} notes. Delete one before you add another.`);
    },
    /** @throws 404 */
    async deleteNote(organizationId: string, key: string, noteId: string): Promise<void> {
      const person = findPerson(organizationId, key);
      if (!isId("note", noteId) || !(await notes.delete({ organizationId, person }, noteId))) throw notFound("Note");
    },
  };
}

type PageRow = { conversationId: string; page: string | null; createdAt: number };

/** The pages in their order, without repetitions of the page before. */
function toPages(rows: readonly PageRow[]): VisitorProfile["pages"] {
  const pages = rows.flatMap(({ conversationId, page, createdAt }) => {
    const { url = null, title = null }: { url?: string | null; title?: string | null } = JSON.parse(page ?? "{}");
    return url === null ? [] : [{ conversationId, url, title, at: toIso(createdAt) }];
  });
  return pages.filter(({ url, conversationId }, index) => {
    const later = pages[index + 1];
    return later?.url !== url || later.conversationId !== conversationId;
  });
}

function toNote({ id, authorId, authorName, text, createdAt }: VisitorNoteRow): VisitorNote {
  const name = { name: authorName, initials: toInitials(authorName) };
  return { id, author: authorId === null ? name : { userId: authorId, ...name }, text, createdAt: toIso(createdAt) };
}

const toIso = (at: number) => new Date(at).toISOString();
