import { Readable } from "node:stream";
import type { ConversationService } from "../conversations/service.ts";
import { agentsOf } from "../db/agents-of.ts";
import type { Deps } from "../deps.ts";
import type { Forms } from "../forms/forms-module.ts";
import type { Batch } from "./batch.ts";
import type { FindVisitor } from "./find-visitor.ts";
import type { Identifier } from "./identifier.ts";
import { type ZipEntry, zipStream } from "./zip-stream.ts";

type Parts = {
  find: FindVisitor;
  conversations: Pick<ConversationService, "find" | "get">;
  forms: Pick<Forms["service"], "detail" | "file">;
};

/**
 * Exports what is stored about a visitor as a ZIP file: one JSON file per kind, and the submitted files. Each kind
 * searches the rows again, so that memory use does not grow with the amount of data.
 */
export function createVisitorExport({ db }: Pick<Deps, "db">, { find, conversations, forms }: Parts) {
  return (organizationId: string, identifier: Identifier): Readable => {
    const batches = () => find(organizationId, identifier);

    async function* conversationsJson() {
      for await (const batch of batches()) {
        for (const { id } of batch.conversations) {
          const row = await conversations.find({ organizationId }, id);
          if (!row) continue;
          const { fields, messagePages } = await conversations.get({ organizationId }, id);
          const { sessionId, userMetadata } = row;
          const all = { ...fields, sessionId, userMetadata: userMetadata === null ? null : JSON.parse(userMetadata) };
          yield `${JSON.stringify(all).slice(0, -1)},"messages":[`;
          let separator = "";
          for await (const page of messagePages) {
            if (page.length === 0) continue;
            yield separator + JSON.stringify(page).slice(1, -1);
            separator = ",";
          }
          yield "]}";
          yield END;
        }
      }
    }

    /** Reads the rows of each batch. */
    async function* rowsJson(read: (batch: Batch) => Promise<object[]>) {
      for await (const batch of batches()) {
        for (const row of await read(batch)) {
          yield JSON.stringify(row);
          yield END;
        }
      }
    }

    async function* submissionsJson() {
      for await (const { submissionIds } of batches()) {
        for (const id of submissionIds) {
          yield JSON.stringify(await forms.detail(organizationId, id));
          yield END;
        }
      }
    }

    async function* files(): AsyncGenerator<ZipEntry> {
      for await (const { submissionIds } of batches()) {
        if (submissionIds.length === 0) continue;
        const stored = db.selectFrom("submissionFiles").select(["submissionId", "field"]);
        for (const { submissionId, field } of await stored.where("submissionId", "in", submissionIds).execute()) {
          const file = await forms.file(organizationId, submissionId, field);
          const name = `files/${submissionId}/${fileName(field)}-${fileName(file.name ?? "file")}`;
          yield { name, isCompressed: false, chunks: once(file.content) };
        }
      }
    }

    async function* entries(): AsyncGenerator<ZipEntry> {
      const { handoffs, notes, questions, events, triggerEvents, tokens } = rowReaders(db, organizationId);
      yield jsonEntry("conversations.json", conversationsJson());
      yield jsonEntry("handoffs.json", rowsJson(handoffs));
      yield jsonEntry("notes.json", rowsJson(notes));
      yield jsonEntry("unanswered-questions.json", rowsJson(questions));
      yield jsonEntry("submissions.json", submissionsJson());
      yield jsonEntry("events.json", rowsJson(events));
      yield jsonEntry("trigger-events.json", rowsJson(triggerEvents));
      yield jsonEntry("token-counters.json", rowsJson(tokens));
      yield* files();
    }
    return Readable.from(zipStream(entries()), { objectMode: false });
  };
}

/** Reads the rows of a batch, as they are exported. */
function rowReaders(db: Deps["db"], organizationId: string) {
  const events = db
    .selectFrom("events")
    .select(["id", "conversationId", "sequence", "type", "data", "createdAt"])
    .where("organizationId", "=", organizationId);
  return {
    ...handoffReaders(db, organizationId),
    questions: ({ conversations }: Batch) =>
      readIf(conversations, () =>
        db
          .selectFrom("messages")
          .innerJoin("unansweredQuestions as asked", "asked.messageId", "messages.id")
          .select(["asked.messageId", "asked.conversationId", "asked.question", "asked.reason", "asked.at"])
          .where("asked.organizationId", "=", organizationId)
          .where(
            "messages.conversationId",
            "in",
            conversations.map(({ id }) => id),
          )
          .execute(),
      ),
    /** The events of conversations, and those about submissions. */
    async events({ conversations, submissionIds }: Batch) {
      const conversationIds = conversations.map(({ id }) => id);
      const ofConversations = events.where("conversationId", "in", conversationIds).where("submissionId", "is", null);
      return [
        ...(await readIf(conversationIds, () => ofConversations.execute())),
        ...(await readIf(submissionIds, () => events.where("submissionId", "in", submissionIds).execute())),
      ];
    },
    triggerEvents: ({ sessionIds }: Batch) =>
      readIf(sessionIds, () =>
        db
          .selectFrom("triggerEvents")
          .select(["agentId", "triggerName", "triggerType", "actionType", "eventType"])
          .select(["sessionId", "pagePath", "createdAt"])
          .where("sessionId", "in", sessionIds)
          .where("agentId", "in", agentsOf(db, organizationId))
          .execute(),
      ),
    tokens: ({ counterKeys }: Batch) =>
      readIf(counterKeys, () =>
        db
          .selectFrom("visitorDays")
          .select(["agentId", "day", "tokens"])
          .where("visitor", "in", counterKeys)
          .where("agentId", "in", agentsOf(db, organizationId))
          .execute(),
      ),
  };
}

/** Reads the team's part of a conversation. */
function handoffReaders(db: Deps["db"], organizationId: string) {
  const idsOf = ({ conversations }: Batch) => conversations.map(({ id }) => id);
  return {
    /** The requests for a person, with the email address that the visitor left. */
    handoffs: (batch: Batch) =>
      readIf(batch.conversations, () =>
        db
          .selectFrom("handoffs")
          .select(["id", "conversationId", "cause", "reason", "summary", "email", "note"])
          .select(["requestedAt", "promisedAt", "takenAt", "answeredAt", "endedAt", "endedBy"])
          .where("organizationId", "=", organizationId)
          .where("conversationId", "in", idsOf(batch))
          .execute(),
      ),
    /** What members noted about the visitor. */
    notes: (batch: Batch) =>
      readIf(batch.conversations, () =>
        db
          .selectFrom("conversationNotes")
          .select(["id", "conversationId", "authorName", "text", "createdAt"])
          .where("organizationId", "=", organizationId)
          .where("conversationId", "in", idsOf(batch))
          .execute(),
      ),
  };
}

/** Ends an item of a JSON array whose text comes in several pieces. */
const END = Symbol("end of item");

function jsonEntry(name: string, pieces: AsyncIterable<string | typeof END>): ZipEntry {
  async function* chunks() {
    let before = "[";
    for await (const piece of pieces) {
      if (piece === END) before = ",\n";
      else {
        yield Buffer.from(before + piece);
        before = "";
      }
    }
    yield Buffer.from(before === "[" ? "[]" : "]");
  }
  return { name, isCompressed: true, chunks: chunks() };
}

async function readIf<Row>(keys: readonly unknown[], read: () => Promise<Row[]>): Promise<Row[]> {
  return keys.length === 0 ? [] : read();
}

/** The names come from the visitor, so they must not lead out of the folder into which the archive is unpacked. */
function fileName(name: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}._-]+/gu, "_")
      .replace(/^\.+/, "_")
      .slice(0, 100) || "file"
  );
}

async function* once(content: Uint8Array) {
  yield content;
}
