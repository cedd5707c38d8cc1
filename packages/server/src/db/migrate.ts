import { setTimeout as wait } from "node:timers/promises";
import { HOUR_MS } from "@foyer/contract/rules/time";
import { type Kysely, sql } from "kysely";
import type { DatabaseKind } from "./database-kind.ts";
import { initial } from "./migrations/0001-initial.ts";
import { forms } from "./migrations/0002-forms.ts";
import { triggers } from "./migrations/0003-triggers.ts";
import { limits } from "./migrations/0004-limits.ts";
import { signIn } from "./migrations/0005-sign-in.ts";
import { dashboard } from "./migrations/0006-dashboard.ts";
import { chat } from "./migrations/0007-chat.ts";
import { formBounds } from "./migrations/0008-form-bounds.ts";
import { security } from "./migrations/0009-security.ts";
import { inbox } from "./migrations/0012-inbox.ts";
import { feedbackComments } from "./migrations/0013-feedback-comments.ts";
import { conversationAnalytics } from "./migrations/0014-conversation-analytics.ts";
import { agentImages } from "./migrations/0015-agent-images.ts";
import { boundedWork } from "./migrations/0017-bounded-work.ts";
import { documents } from "./migrations/0020-documents.ts";
import { passageIndex } from "./migrations/0021-passage-index.ts";
import { sites } from "./migrations/0022-sites.ts";
import { embeddings } from "./migrations/0023-embeddings.ts";
import { searchableDocuments } from "./migrations/0024-searchable-documents.ts";
import { answers } from "./migrations/0025-answers.ts";
import { events } from "./migrations/0026-events.ts";
import { visitorData } from "./migrations/0027-visitor-data.ts";
import { identity } from "./migrations/0028-identity.ts";
import { page } from "./migrations/0029-page.ts";
import { documentTitles } from "./migrations/0031-document-titles.ts";
import { deliveryLeases } from "./migrations/0032-delivery-leases.ts";
import { submissionEvents } from "./migrations/0035-submission-events.ts";
import { handoff } from "./migrations/0040-handoff.ts";
import { notesAndCannedReplies } from "./migrations/0041-notes-and-canned-replies.ts";
import { notices } from "./migrations/0042-notices.ts";
import { teamChats } from "./migrations/0043-team-chats.ts";
import { livePresence } from "./migrations/0044-live-presence.ts";
import { activity } from "./migrations/0046-activity.ts";
import { endings } from "./migrations/0047-endings.ts";
import { sentHosts } from "./migrations/0048-sent-hosts.ts";
import { messageKeys } from "./migrations/0050-message-keys.ts";
import { repeatedStarts } from "./migrations/0051-repeated-starts.ts";
import { charsets } from "./migrations/0053-charsets.ts";
import { tags } from "./migrations/0054-tags.ts";
import { deliveryOrganizations } from "./migrations/0060-delivery-organizations.ts";
import { runningSources } from "./migrations/0061-running-sources.ts";
import { suppliedMessages } from "./migrations/0063-supplied-messages.ts";
import { ratingEvents } from "./migrations/0064-rating-events.ts";
import { byteDays } from "./migrations/0065-byte-days.ts";
import { namesFromAddresses } from "./migrations/0070-names-from-addresses.ts";
import { activityOrder } from "./migrations/0072-activity-order.ts";
import { removedLinks } from "./migrations/0074-removed-links.ts";
import { droppedEvents } from "./migrations/0078-dropped-events.ts";
import { segmentAnalysis } from "./migrations/0079-segment-analysis.ts";
import { chatFormats } from "./migrations/0081-chat-formats.ts";
import { documentWarnings } from "./migrations/0082-document-warnings.ts";
import { conversationCosts } from "./migrations/0083-conversation-costs.ts";
import { answerTimes } from "./migrations/0084-answer-times.ts";
import { models } from "./migrations/0085-models.ts";
import { promptSizes } from "./migrations/0086-prompt-sizes.ts";
import { namedServers } from "./migrations/0087-named-servers.ts";
import { promptState } from "./migrations/0089-prompt-state.ts";
import { attachments } from "./migrations/0093-attachments.ts";
import { agentVersions } from "./migrations/0095-agent-versions.ts";
import { agentDrafts } from "./migrations/0096-agent-drafts.ts";
import { modelSettings } from "./migrations/0097-model-settings.ts";
import { memberAttachments } from "./migrations/0098-member-attachments.ts";
import { agentRollouts } from "./migrations/0100-agent-rollouts.ts";
import { agentTests } from "./migrations/0105-agent-tests.ts";
import { replays } from "./migrations/0106-replays.ts";
import { conversationStatus } from "./migrations/0110-conversation-status.ts";
import { inboxViews } from "./migrations/0111-inbox-views.ts";
import { bulkActions } from "./migrations/0112-bulk-actions.ts";
import { teams } from "./migrations/0115-teams.ts";
import { trash } from "./migrations/0120-trash.ts";
import { visitorNotes } from "./migrations/0121-visitor-notes.ts";
import { teamViews } from "./migrations/0124-team-views.ts";
import { handoffTimes } from "./migrations/0128-handoff-times.ts";
import { replyActions } from "./migrations/0129-reply-actions.ts";
import { attachmentCounters } from "./migrations/0130-attachment-counters.ts";
import { inboxTotals } from "./migrations/0134-inbox-totals.ts";
import { conversationRatings } from "./migrations/0136-conversation-ratings.ts";
import { messageDrafts } from "./migrations/0140-message-drafts.ts";
import { ratingMails } from "./migrations/0141-rating-mails.ts";
import { ratingFigures } from "./migrations/0143-rating-figures.ts";
import { inboxLists } from "./migrations/0145-inbox-lists.ts";
import { conversationSearch } from "./migrations/0146-conversation-search.ts";
import { deliveryRedirects } from "./migrations/0150-delivery-redirects.ts";
import { readOnlyAnswers } from "./migrations/0151-read-only-answers.ts";
import { triggerFirings } from "./migrations/0152-trigger-firings.ts";
import { agentTestRuns } from "./migrations/0160-agent-test-runs.ts";
import { memberPresence } from "./migrations/0165-member-presence.ts";
import { mentions } from "./migrations/0166-mentions.ts";
import { secretCheck } from "./migrations/0181-secret-check.ts";
import { ratingMailIndex } from "./migrations/0182-rating-mail-index.ts";
import type { Db } from "./open.ts";
import { withStatementTimeout } from "./statement-timeout.ts";
import type { Tables } from "./tables.ts";

type Migration = (db: Kysely<Tables>, kind: DatabaseKind) => Promise<void>;

const LOCK_POLL_MS = 50;
/** The statement timeout of migrations. Creating an index on a large table can take this long. */
const STATEMENT_MS = HOUR_MS;

/** The migrations in order, with the names stored in the database. A released migration never changes. */
const migrations: ReadonlyArray<readonly [name: string, up: Migration]> = [
  ["0001-initial", initial],
  ["0002-forms", forms],
  ["0003-triggers", triggers],
  ["0004-limits", limits],
  ["0005-sign-in", signIn],
  ["0006-dashboard", dashboard],
  ["0007-chat", chat],
  ["0008-form-bounds", formBounds],
  ["0009-security", security],
  ["0012-inbox", inbox],
  ["0013-feedback-comments", feedbackComments],
  ["0014-conversation-analytics", conversationAnalytics],
  ["0015-agent-images", agentImages],
  ["0017-bounded-work", boundedWork],
  ["0020-documents", documents],
  ["0021-passage-index", passageIndex],
  ["0022-sites", sites],
  ["0023-embeddings", embeddings],
  ["0024-searchable-documents", searchableDocuments],
  ["0025-answers", answers],
  ["0026-events", events],
  ["0027-visitor-data", visitorData],
  ["0028-identity", identity],
  ["0029-page", page],
  ["0031-document-titles", documentTitles],
  ["0032-delivery-leases", deliveryLeases],
  ["0035-submission-events", submissionEvents],
  ["0040-handoff", handoff],
  ["0041-notes-and-canned-replies", notesAndCannedReplies],
  ["0042-notices", notices],
  ["0043-team-chats", teamChats],
  ["0044-live-presence", livePresence],
  ["0046-activity", activity],
  ["0047-endings", endings],
  ["0048-sent-hosts", sentHosts],
  ["0050-message-keys", messageKeys],
  ["0051-repeated-starts", repeatedStarts],
  ["0053-charsets", charsets],
  ["0054-tags", tags],
  ["0060-delivery-organizations", deliveryOrganizations],
  ["0061-running-sources", runningSources],
  ["0063-supplied-messages", suppliedMessages],
  ["0064-rating-events", ratingEvents],
  ["0065-byte-days", byteDays],
  ["0070-names-from-addresses", namesFromAddresses],
  ["0072-activity-order", activityOrder],
  ["0074-removed-links", removedLinks],
  ["0078-dropped-events", droppedEvents],
  ["0079-segment-analysis", segmentAnalysis],
  ["0081-chat-formats", chatFormats],
  ["0082-document-warnings", documentWarnings],
  ["0083-conversation-costs", conversationCosts],
  ["0084-answer-times", answerTimes],
  ["0085-models", models],
  ["0086-prompt-sizes", promptSizes],
  ["0087-named-servers", namedServers],
  ["0089-prompt-state", promptState],
  ["0093-attachments", attachments],
  ["0095-agent-versions", agentVersions],
  ["0096-agent-drafts", agentDrafts],
  ["0097-model-settings", modelSettings],
  ["0098-member-attachments", memberAttachments],
  ["0100-agent-rollouts", agentRollouts],
  ["0105-agent-tests", agentTests],
  ["0106-replays", replays],
  ["0110-conversation-status", conversationStatus],
  ["0111-inbox-views", inboxViews],
  ["0112-bulk-actions", bulkActions],
  ["0115-teams", teams],
  ["0120-trash", trash],
  ["0121-visitor-notes", visitorNotes],
  ["0124-team-views", teamViews],
  ["0128-handoff-times", handoffTimes],
  ["0129-reply-actions", replyActions],
  ["0130-attachment-counters", attachmentCounters],
  ["0134-inbox-totals", inboxTotals],
  ["0136-conversation-ratings", conversationRatings],
  ["0140-message-drafts", messageDrafts],
  ["0141-rating-mails", ratingMails],
  ["0143-rating-figures", ratingFigures],
  ["0145-inbox-lists", inboxLists],
  ["0146-conversation-search", conversationSearch],
  ["0150-delivery-redirects", deliveryRedirects],
  ["0151-read-only-answers", readOnlyAnswers],
  ["0152-trigger-firings", triggerFirings],
  ["0160-agent-test-runs", agentTestRuns],
  ["0165-member-presence", memberPresence],
  ["0166-mentions", mentions],
  ["0181-secret-check", secretCheck],
  ["0182-rating-mail-index", ratingMailIndex],
];

/**
 * Migrates the database to this version in one transaction. Several processes may start at once: the first takes the
 * lock, and the others wait and find nothing to do. Throws when a newer version of Foyer wrote the database.
 * @param last for tests of a later migration: the last one to run
 * @returns the names of the migrations that ran
 */
export async function migrate({ db, kind }: { db: Db; kind: DatabaseKind }, last?: string): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    if (kind === "postgres") await checkEncoding(connection);
    await lock(connection, kind);
    try {
      const names = await withStatementTimeout(STATEMENT_MS, () => runPending(connection, kind, last));
      await sql`commit`.execute(connection);
      return names;
    } catch (error) {
      await sql`rollback`.execute(connection);
      throw error;
    }
  });
}

/** Takes SQLite's write lock or a PostgreSQL advisory lock. Both are released with the transaction. */
async function lock(connection: Kysely<Tables>, kind: DatabaseKind) {
  if (kind === "sqlite") return sql`begin immediate`.execute(connection);
  await sql`begin`.execute(connection);
  // Poll instead of waiting in one statement: during a long migration, a waiting statement would hit the timeout.
  for (;;) {
    const attempt = sql<{ isOurs: boolean }>`select pg_try_advisory_xact_lock(7301945527) as "isOurs"`;
    if ((await attempt.execute(connection)).rows[0]?.isOurs) return;
    await wait(LOCK_POLL_MS);
  }
}

/** A new database can only have such a table if another program uses it. */
function explainForeignTables(error: unknown): unknown {
  if (!(error instanceof Error) || !/already exists/.test(error.message)) return error;
  return new Error(
    `The database is used by another program (${error.message}). Give Foyer a database or a schema of its own.`,
    { cause: error },
  );
}

/** Texts in any script can be stored, compared and searched only in UTF-8. */
async function checkEncoding(connection: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(connection);
  const encoding = rows[0]?.server_encoding;
  if (encoding === "UTF8") return;
  throw new Error(
    `The encoding of the PostgreSQL database is ${encoding}. Foyer needs UTF8: create a database with createdb --encoding=UTF8 --template=template0.`,
  );
}

async function runPending(connection: Kysely<Tables>, kind: DatabaseKind, last = migrations.at(-1)?.[0] ?? "") {
  await sql`create table if not exists migrations (name varchar(255) primary key, "ranAt" bigint not null)`.execute(
    connection,
  );
  const rows = await sql<{ name: string }>`select name from migrations`.execute(connection);
  const done = new Set(rows.rows.map((row) => row.name));
  const unknown = [...done].filter((name) => !migrations.some(([known]) => known === name));
  if (unknown.length > 0) {
    throw new Error(
      `The database has migrations that this version of Foyer does not recognize (${unknown.join(", ")}). Start the newer version, or restore a backup.`,
    );
  }
  const pending = migrations.filter(([name]) => !done.has(name) && name <= last);
  for (const [name, up] of pending) {
    await up(connection, kind).catch((error: unknown) => {
      throw done.size === 0 ? explainForeignTables(error) : error;
    });
    await sql`insert into migrations (name, "ranAt") values (${name}, ${Date.now()})`.execute(connection);
  }
  return pending.map(([name]) => name);
}

/** True when every migration of this version has run. */
export async function isMigrated(db: Db): Promise<boolean> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from migrations`.execute(db);
  return Number(rows[0]?.n) >= migrations.length;
}
