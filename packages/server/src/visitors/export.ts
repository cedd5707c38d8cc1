import { Readable } from "node:stream";
import type { ConversationService } from "../conversations/service.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import type { Forms } from "../forms/forms-module.ts";
import type { Batch } from "./batch.ts";
import { createExportedRows } from "./exported-rows.ts";
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
export function createVisitorExport(deps: Pick<Deps, "db" | "reads">, { find, conversations, forms }: Parts) {
  return (organizationId: string, identifier: Identifier): Readable => {
    const batches = () => find(organizationId, identifier);

    async function* conversationsJson() {
      for await (const batch of batches()) {
        for (const { id } of batch.conversations) {
          const row = await conversations.find({ organizationId }, id);
          const detail = row && (await unlessDeleted(() => conversations.get({ organizationId }, id)));
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

    async function* rowsJson(read: (batch: Batch) => AsyncGenerator<object>) {
      for await (const batch of batches()) {
        for await (const row of read(batch)) {
          yield JSON.stringify(row);
          yield END;
        }
      }
    }

    async function* submissionsJson() {
      for await (const { submissionIds } of batches()) {
        for (const id of submissionIds) {
          const submission = await unlessDeleted(() => forms.detail(organizationId, id));
          if (!submission) continue;
          yield JSON.stringify(submission);
          yield END;
        }
      }
    }

    async function* files(): AsyncGenerator<ZipEntry> {
      for await (const { submissionIds } of batches()) {
        if (submissionIds.length === 0) continue;
        const stored = deps.db.selectFrom("submissionFiles").select(["submissionId", "field"]);
        for (const { submissionId, field } of await stored.where("submissionId", "in", submissionIds).execute()) {
          const file = await unlessDeleted(() => forms.file(organizationId, submissionId, field));
          if (!file) continue;
          const name = `files/${submissionId}/${fileName(field)}-${fileName(file.name ?? "file")}`;
          yield { name, isCompressed: false, chunks: once(file.content) };
        }
      }
    }

    async function* entries(): AsyncGenerator<ZipEntry> {
      const rows = createExportedRows(deps, organizationId);
      yield jsonEntry("conversations.json", conversationsJson());
      yield jsonEntry("handoffs.json", rowsJson(rows.handoffs));
      yield jsonEntry("notes.json", rowsJson(rows.notes));
      yield jsonEntry("unanswered-questions.json", rowsJson(rows.questions));
      yield jsonEntry("submissions.json", submissionsJson());
      yield jsonEntry("events.json", rowsJson(rows.events));
      yield jsonEntry("deliveries.json", rowsJson(rows.deliveries));
      yield jsonEntry("trigger-events.json", rowsJson(rows.triggerEvents));
      yield jsonEntry("token-counters.json", rowsJson(rows.tokens));
      yield* files();
    }
    return Readable.from(zipStream(entries()), { objectMode: false });
  };
}

/** The result of `read`, or undefined when its subject has been deleted since it was found. */
async function unlessDeleted<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
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

/** The names come from the visitor, so they must not lead out of the folder in which the archive is unpacked. */
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
