import { Readable } from "node:stream";
import type { AttachmentService } from "../conversations/attachments/service.ts";
import type { ConversationService } from "../conversations/service.ts";
import { type Person, personOf } from "../conversations/visitor-key.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import type { Forms } from "../forms/forms-module.ts";
import type { Batch } from "./batch.ts";
import { createExportedRows } from "./exported-rows.ts";
import type { FindVisitor } from "./find-visitor.ts";
import type { Identifier } from "./identifier.ts";
import { peopleNamedBy, readNotesAbout } from "./visitor-notes.ts";
import { type ZipEntry, zipStream } from "./zip-stream.ts";

type Parts = {
  find: FindVisitor;
  conversations: Pick<ConversationService, "find" | "get">;
  attachments: Pick<AttachmentService, "listOf" | "readFile">;
  forms: Pick<Forms["service"], "detail" | "file">;
};

/**
 * Exports what is stored about a visitor as a ZIP file: one JSON file per kind, and the submitted files. Each kind
 * searches the rows again, so that memory use does not grow with the amount of data.
 */
export function createVisitorExport(
  deps: Pick<Deps, "db" | "reads">,
  { find, conversations, attachments, forms }: Parts,
) {
  return (organizationId: string, identifier: Identifier): Readable => {
    const readBatches = () => find(organizationId, identifier);

    async function* writeConversations() {
      for await (const batch of readBatches()) {
        for (const { id } of batch.conversations) {
          const viewer = { organizationId, seesTrash: true } as const;
          const row = await conversations.find(viewer, id);
          const detail = row && (await ignoreDeleted(() => conversations.get(viewer, id)));
          if (!detail) continue;
          const { fields, messagePages } = detail;
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

    async function* writeRows(read: (batch: Batch) => AsyncGenerator<object>) {
      for await (const batch of readBatches()) {
        for await (const row of read(batch)) {
          yield JSON.stringify(row);
          yield END;
        }
      }
    }

    async function* writeVisitorNotes() {
      const seen = new Set<string>();
      async function* write(people: readonly Person[]) {
        const unseen = people.filter(({ kind, value }) => !seen.has(`${kind} ${value}`));
        for (const { kind, value } of unseen) seen.add(`${kind} ${value}`);
        for (const { organizationId: _, kind: __, value: ___, authorId: ____, ...note } of await readNotesAbout(
          deps.db,
          organizationId,
          unseen,
        )) {
          yield JSON.stringify(note);
          yield END;
        }
      }
      yield* write(peopleNamedBy(identifier));
      if (identifier.kind !== "conversationId") return;
      for await (const { conversations: found } of readBatches())
        yield* write(found.flatMap((row) => personOf(row) ?? []));
    }

    async function* writeSubmissions() {
      for await (const { submissionIds } of readBatches()) {
        for (const id of submissionIds) {
          const submission = await ignoreDeleted(() => forms.detail(organizationId, id));
          if (!submission) continue;
          yield JSON.stringify(submission);
          yield END;
        }
      }
    }

    async function* readFiles(): AsyncGenerator<ZipEntry> {
      for await (const { submissionIds } of readBatches()) {
        if (submissionIds.length === 0) continue;
        const stored = deps.db.selectFrom("submissionFiles").select(["submissionId", "field"]);
        for (const { submissionId, field } of await stored.where("submissionId", "in", submissionIds).execute()) {
          const file = await ignoreDeleted(() => forms.file(organizationId, submissionId, field));
          if (!file) continue;
          const name = `files/${submissionId}/${createFileName(field)}-${createFileName(file.name ?? "file")}`;
          yield { name, isCompressed: false, chunks: yieldOnce(file.content) };
        }
      }
    }

    async function* readAttachments(): AsyncGenerator<ZipEntry> {
      for await (const batch of readBatches()) {
        for (const { id: conversationId } of batch.conversations) {
          for (const { id, fileId, name } of await attachments.listOf(conversationId)) {
            const path = `attachments/${conversationId}/${id}-${createFileName(name)}`;
            yield { name: path, isCompressed: false, chunks: attachments.readFile(fileId) };
          }
        }
      }
    }

    async function* createEntries(): AsyncGenerator<ZipEntry> {
      const rows = createExportedRows(deps, organizationId);
      yield createJsonEntry("conversations.json", writeConversations());
      yield createJsonEntry("handoffs.json", writeRows(rows.handoffs));
      yield createJsonEntry("notes.json", writeRows(rows.notes));
      yield createJsonEntry("visitor-notes.json", writeVisitorNotes());
      yield createJsonEntry("unanswered-questions.json", writeRows(rows.questions));
      yield createJsonEntry("submissions.json", writeSubmissions());
      yield createJsonEntry("events.json", writeRows(rows.events));
      yield createJsonEntry("deliveries.json", writeRows(rows.deliveries));
      yield createJsonEntry("trigger-events.json", writeRows(rows.triggerEvents));
      yield createJsonEntry("token-counters.json", writeRows(rows.tokens));
      yield createJsonEntry("agent-tests.json", writeRows(rows.agentTests));
      yield* readFiles();
      yield* readAttachments();
    }
    return Readable.from(zipStream(createEntries()), { objectMode: false });
  };
}

/** The result of `read`, or undefined when its subject has been deleted since it was found. */
async function ignoreDeleted<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** Ends an item of a JSON array whose text comes in several pieces. */
const END = Symbol("end of item");

function createJsonEntry(name: string, pieces: AsyncIterable<string | typeof END>): ZipEntry {
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

/** The names come from the visitor, so they must not lead out of the folder in which the archive is unpacked. */
function createFileName(name: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}._-]+/gu, "_")
      .replace(/^\.+/, "_")
      .slice(0, 100) || "file"
  );
}

async function* yieldOnce(content: Uint8Array) {
  yield content;
}
