import { createHash } from "node:crypto";
import type { Db } from "../packages/server/src/db/open.ts";
import type { Encryption } from "../packages/server/src/encryption.ts";
import { newId } from "../packages/server/src/ids.ts";
import { visitorKey } from "../packages/server/src/plans/token-budget.ts";

export type Person = {
  userId: string;
  email: string;
  /** the email address that the visitor left when asking for a person */
  leftEmail: string;
  sessionId: string;
  conversationId: string;
  submissionId: string;
  /** texts that identify the person's data wherever it is stored */
  tokens: string[];
};

type Place = { organizationId: string; agentId: string; toolId: string; number: number };

/**
 * Stores a conversation with a form submission, and a token of the person in each column that can hold a visitor's text
 * or identifier. The conversation was active at `at` (milliseconds).
 */
export async function insertPerson(db: Db, encryption: Encryption, place: Place, at = Date.now()): Promise<Person> {
  const { organizationId, agentId, number } = place;
  const tokens: string[] = [];
  const token = (name: string) => {
    const text = `${createHash("sha256").update(`${agentId} ${number} ${name}`).digest("hex").slice(0, 20)}${name}`;
    tokens.push(text);
    return text;
  };
  const ids = { conversationId: newId("conv"), submissionId: newId("sub"), deliveryId: newId("delivery") };
  const who = { userId: token("user"), email: `${token("address")}@Example.com`, sessionId: token("session") };
  await db
    .insertInto("conversations")
    .values({
      id: ids.conversationId,
      organizationId,
      agentId,
      title: token("title"),
      messageCount: 2,
      sessionId: who.sessionId,
      userId: who.userId,
      userEmail: who.email,
      userName: token("name"),
      userMetadata: JSON.stringify({ plan: token("metadata") }),
      isUserVerified: 0,
      hasOwner: 1,
      textBytes: 100,
      toolBytes: 100,
      context: JSON.stringify({ page: `https://shop.example/${token("page")}` }),
      consent: JSON.stringify({ at: new Date(at).toISOString(), text: token("consent") }),
      lastMessageRole: "user",
      lastMessagePreview: token("preview"),
      lastMessageAt: at,
      createdAt: at,
      updatedAt: at,
    })
    .execute();
  await db
    .updateTable("agentCounters")
    .set((x) => ({ conversations: x("conversations", "+", 1) }))
    .where("agentId", "=", agentId)
    .execute();
  await insertMessages(db, { ...place, ...ids, at }, token);
  await insertNote(db, { ...place, ...ids, at }, token);
  await insertAgentTest(db, { ...place, ...ids, at }, token);
  const leftEmail = `${token("left")}@Example.com`;
  await insertHandoff(db, { ...place, ...ids, at }, { email: leftEmail, token });
  await insertSubmission(db, { ...place, ...ids, at }, { email: who.email, token });
  tokens.push(await insertEvents(db, { ...place, ...ids, at }, token));
  await db
    .insertInto("triggerEvents")
    .values({
      agentId,
      triggerId: null,
      triggerName: "Welcome",
      triggerType: "time_delay",
      actionType: "open_chat",
      eventType: "fired",
      sessionId: who.sessionId,
      pagePath: `/${token("path")}`,
      day: "2026-01-01",
      createdAt: at,
    } as never)
    .execute();
  const visitor = visitorKey(encryption, `session:${who.sessionId}`);
  tokens.push(visitor);
  await db.insertInto("visitorDays").values({ agentId, visitor, day: "2026-01-01", tokens: 12 }).execute();
  return { ...who, leftEmail, conversationId: ids.conversationId, submissionId: ids.submissionId, tokens };
}

type Ids = Place & { conversationId: string; submissionId: string; deliveryId: string; at: number };

async function insertMessages(db: Db, ids: Ids, token: (name: string) => string): Promise<void> {
  const { organizationId, agentId, toolId, conversationId, at } = ids;
  const common = { conversationId, stopRequested: 0, model: null, inputTokens: null, outputTokens: null } as const;
  const question = token("question");
  const replyId = newId("msg");
  const messageId = newId("msg");
  const pieces = (result: string) => JSON.stringify([{ type: "tool", id: "1", toolId, input: {}, result }]);
  const draft = token("draft");
  await db
    .insertInto("messages")
    .values([
      {
        ...common,
        id: messageId,
        position: 0,
        role: "user",
        content: question,
        pieces: null,
        feedback: null,
        feedbackComment: null,
        stopReason: null,
        createdAt: at,
        updatedAt: at,
      },
      {
        ...common,
        id: replyId,
        position: 1,
        role: "assistant",
        content: draft,
        pieces: pieces(token("input")),
        feedback: "down",
        feedbackComment: token("comment"),
        stopReason: null,
        createdAt: at,
        updatedAt: at,
      },
    ])
    .execute();
  await insertAttachment(db, { ...ids, messageId }, token);
  // A reply is rewritten while it runs, and some replies are longer than a page of the database.
  const content = `${token("answer")} ${"so on ".repeat((ids.number % 5) * 800)}`;
  await db
    .updateTable("messages")
    .set({ content, pieces: pieces(token("result")), stopReason: "error" })
    .where("id", "=", replyId)
    .execute();
  await db
    .insertInto("replyFailures")
    .values({
      messageId: replyId,
      conversationId,
      organizationId,
      agentId,
      provider: null,
      model: null,
      code: "MODEL_UNAVAILABLE",
      message: token("failure"),
      providerStatus: null,
      at,
    })
    .execute();
  const asked = { messageId: replyId, organizationId, conversationId, question: token("asked"), at };
  await db
    .insertInto("unansweredQuestions")
    .values({ ...asked, agentId, groupId: "group", reason: "nothing_found" })
    .execute();
  await db
    .insertInto("documentCitations")
    .values({ ...asked, documentId: newId("doc") })
    .execute();
}

/** A file of the visitor's message. */
async function insertAttachment(
  db: Db,
  { organizationId, agentId, conversationId, messageId, at }: Ids & { messageId: string },
  token: (name: string) => string,
): Promise<void> {
  // The id is a token, so that the row of the file is found as well.
  const fileId = token("content");
  const text = token("attached");
  const content = Buffer.from(text);
  await db.insertInto("documentFiles").values({ id: fileId, organizationId, agentId, createdAt: at }).execute();
  await db.insertInto("documentFileParts").values({ fileId, number: 0, content }).execute();
  await db
    .insertInto("attachments")
    .values({
      id: newId("att"),
      organizationId,
      agentId,
      sessionId: null,
      conversationId,
      messageId,
      position: 0,
      name: `${token("attachment")}.txt`,
      type: "text/plain",
      size: content.length,
      width: null,
      height: null,
      fileId,
      text,
      createdAt: at,
    })
    .execute();
}

/** A member's note about the visitor, and the stored response to the request that created it. */
async function insertNote(
  db: Db,
  { organizationId, agentId, conversationId, at }: Ids,
  token: (name: string) => string,
): Promise<void> {
  const note = { id: newId("note"), conversationId, text: token("note") };
  await db
    .insertInto("conversationNotes")
    .values({ ...note, organizationId, authorId: null, authorName: "Desk", createdAt: at })
    .execute();
  await db
    .insertInto("idempotencyKeys")
    .values({ id: newId("key"), agentId, requestHash: "", answer: JSON.stringify(note), createdAt: at })
    .execute();
}

/** A test that a member has kept from the conversation. */
async function insertAgentTest(
  db: Db,
  { organizationId, agentId, conversationId, at }: Ids,
  token: (name: string) => string,
): Promise<void> {
  await db
    .insertInto("agentTests")
    .values({
      id: newId("test"),
      organizationId,
      agentId,
      name: token("test"),
      turns: JSON.stringify([token("turn")]),
      checks: "[]",
      results: JSON.stringify({ stock: token("answered") }),
      conversationId,
      createdAt: at,
      updatedAt: at,
    })
    .execute();
}

/** A request for a person, which has ended. */
async function insertHandoff(
  db: Db,
  { organizationId, agentId, conversationId, at }: Ids,
  { email, token }: { email: string; token: (name: string) => string },
): Promise<void> {
  await db
    .insertInto("handoffs")
    .values({
      id: newId("hnd"),
      organizationId,
      agentId,
      conversationId,
      cause: "agent",
      reason: token("reason"),
      summary: token("summary"),
      email,
      requestedAt: at,
      promisedAt: null,
      takenAt: at,
      takenBy: null,
      answeredAt: at,
      endedAt: at,
      endedBy: "member",
      note: token("returned"),
    })
    .execute();
}

/**
 * An event of the conversation, delivered to a webhook, and an event of a form outside of it. @returns the first
 * event's id
 */
async function insertEvents(db: Db, ids: Ids, token: (name: string) => string): Promise<string> {
  const { organizationId, agentId, conversationId, submissionId, at } = ids;
  const eventId = newId("evt");
  const common = { organizationId, agentId, sequence: null, position: null, createdAt: at };
  await db
    .insertInto("events")
    .values([
      {
        ...common,
        id: eventId,
        conversationId,
        submissionId: null,
        type: "message.created",
        data: JSON.stringify(token("event")),
      },
      {
        ...common,
        id: newId("evt"),
        conversationId: null,
        submissionId,
        type: "form.submitted",
        data: JSON.stringify({ submissionId, answer: token("reported") }),
      },
    ])
    .execute();
  const deliveryId = newId("delivery");
  await db
    .insertInto("deliveries")
    .values({
      id: deliveryId,
      kind: "event",
      submissionId: null,
      webhookId: null,
      eventId,
      position: 0,
      purpose: "event",
      type: "webhook",
      target: "{}",
      host: "events.example",
      state: "delivered",
      attempts: 1,
      attemptsBefore: 0,
      dueAt: at,
      fence: 1,
      createdAt: at,
    })
    .execute();
  await insertAttempt(db, { deliveryId, at }, { detail: token("sent"), response: token("received") });
  return eventId;
}

async function insertAttempt(
  db: Db,
  { deliveryId, at }: { deliveryId: string; at: number },
  texts: { detail: string; response: string },
): Promise<void> {
  const row = { deliveryId, number: 1, startedAt: at, durationMs: 1, status: 500, error: "Failed" };
  await db
    .insertInto("deliveryAttempts")
    .values({ ...row, ...texts })
    .execute();
}

async function insertSubmission(
  db: Db,
  ids: Ids,
  { email, token }: { email: string; token: (name: string) => string },
): Promise<void> {
  const { organizationId, agentId, toolId, conversationId, submissionId, deliveryId, at } = ids;
  const formInstanceId = token("instance");
  await db
    .insertInto("submissions")
    .values({
      id: submissionId,
      organizationId,
      agentId,
      toolId,
      toolName: "book",
      conversationId,
      hasConversationProof: 1,
      executionMode: "webhook",
      clientHandler: null,
      formData: JSON.stringify({ email, wish: token("wish") }),
      fieldsCompleted: "[]",
      impressionAt: null,
      startedAt: null,
      formInstanceId,
      status: "success",
      clientResult: JSON.stringify({ success: true, message: token("client") }),
      createdAt: at,
      updatedAt: at,
    })
    .execute();
  await db
    .insertInto("formInstances")
    .values({ toolId, id: formInstanceId, agentId, day: "2026-01-01", isStarted: 1, fields: "[]" })
    .execute();
  const content = Buffer.from(`${token("bytes")}${"\0".repeat(ids.number % 3 === 0 ? 20_000 : 100)}`);
  await db
    .insertInto("submissionFiles")
    .values({
      submissionId,
      field: "photo",
      prefix: "data:image/png;base64,",
      mediaType: "image/png",
      size: content.length,
      content,
      name: `${token("file")}.png`,
    })
    .execute();
  await insertDeliveries(db, { submissionId, deliveryId, at }, { email, token });
  await db
    .insertInto("idempotencyKeys")
    .values({
      id: newId("key"),
      agentId,
      requestHash: "",
      answer: JSON.stringify({ submissionId, message: token("stored") }),
      createdAt: at,
    })
    .execute();
}

async function insertDeliveries(
  db: Db,
  { submissionId, deliveryId, at }: Pick<Ids, "submissionId" | "deliveryId" | "at">,
  { email, token }: { email: string; token: (name: string) => string },
): Promise<void> {
  const common = {
    kind: "submission",
    submissionId,
    webhookId: null,
    eventId: null,
    state: "delivered",
    attempts: 1,
    attemptsBefore: 0,
    dueAt: at,
    fence: 1,
    createdAt: at,
  } as const;
  await db
    .insertInto("deliveries")
    .values([
      {
        ...common,
        id: deliveryId,
        position: 0,
        purpose: "webhook",
        type: "webhook",
        target: JSON.stringify({ url: "https://hooks.example/in" }),
        host: "hooks.example",
      },
      {
        ...common,
        id: newId("delivery"),
        position: 100,
        purpose: "action",
        type: "email",
        target: JSON.stringify({ to: ["desk@shop.example"] }),
        host: "mail",
      },
      {
        ...common,
        id: newId("delivery"),
        position: 2_100,
        purpose: "confirmation",
        type: "email",
        target: JSON.stringify({ to: [email], message: token("confirmed") }),
        host: "mail",
      },
    ])
    .execute();
  await insertAttempt(db, { deliveryId, at }, { detail: token("detail"), response: token("response") });
}
