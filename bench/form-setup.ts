import type { DatabaseAddress } from "../packages/server/src/db/database-kind.ts";
import { openDatabase } from "../packages/server/src/db/open.ts";
import type { SubmissionRow } from "../packages/server/src/db/tables/forms.ts";
import type { DeliveryRow } from "../packages/server/src/db/tables/outbox.ts";
import { newId } from "../packages/server/src/ids.ts";
import { authorized } from "./foyer-process.ts";

const fields = [
  { name: "name", label: "Name", type: "text", validation: { required: { value: true } } },
  { name: "email", label: "Email", type: "email" },
  { name: "message", label: "Message", type: "textarea", validation: { maxLength: { value: 2_000 } } },
  { name: "photo", label: "Photo", type: "file" },
];

const filledIn = { name: "Ada", email: "ada@example.com", message: "I would like a test ride on Saturday." };

/** Creates a form of the agent. @returns its id */
export async function createForm(url: string, agentId: string, name: string, more: object = {}): Promise<string> {
  const form = { agentId, name, description: "A contact form", executionType: "form", formSchema: { fields } };
  const response = await fetch(`${url}/tools`, {
    method: "POST",
    headers: { ...authorized, "content-type": "application/json" },
    body: JSON.stringify({ ...form, inputSchema: { type: "object" }, ...more }),
  });
  if (response.status !== 201) throw new Error(`The form was not created: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** Submissions with a webhook to `url`, which all become due at the same moment. Servers may run meanwhile. */
export async function fillDueDeliveries(address: DatabaseAddress, toolId: string, url: string, count: number) {
  const { db } = openDatabase(address, () => {});
  try {
    const tool = await db.selectFrom("tools").selectAll().where("id", "=", toolId).executeTakeFirstOrThrow();
    const { organizationId, agentId, name: toolName } = tool;
    await db.transaction().execute(async (trx) => {
      for (let inserted = 0; inserted < count; inserted += 100) {
        const rows = Array.from({ length: Math.min(100, count - inserted) }, () =>
          dueSubmission({ organizationId, agentId, toolId, toolName }, url),
        );
        const submissions = rows.map(({ submission }) => submission);
        await trx.insertInto("submissions").values(submissions).execute();
        const deliveries = rows.map(({ delivery }) => delivery);
        await trx.insertInto("deliveries").values(deliveries).execute();
      }
    });
  } finally {
    await db.destroy();
  }
}

type Owner = Pick<SubmissionRow, "organizationId" | "agentId" | "toolId" | "toolName">;

function dueSubmission(owner: Owner, url: string): { submission: SubmissionRow; delivery: DeliveryRow } {
  const id = newId("sub");
  const now = Date.now();
  const host = new URL(url).host;
  return {
    submission: {
      hasConversationProof: 0,
      userId: null,
      verifiedVisitor: null,
      ...owner,
      id,
      conversationId: null,
      executionMode: "webhook",
      clientHandler: null,
      formData: JSON.stringify(filledIn),
      fieldsCompleted: "[]",
      changedByVisitor: null,
      impressionAt: null,
      startedAt: null,
      formInstanceId: id,
      status: "pending",
      clientResult: null,
      createdAt: now,
      updatedAt: now,
    },
    delivery: {
      id: newId("delivery"),
      organizationId: "org_bench",
      kind: "submission",
      webhookId: null,
      eventId: null,
      submissionId: id,
      position: 0,
      purpose: "webhook",
      type: "webhook",
      target: JSON.stringify({ url }),
      host,
      state: "pending",
      attempts: 0,
      attemptsBefore: 0,
      dueAt: 1,
      fence: 0,
      createdAt: now,
    },
  };
}
