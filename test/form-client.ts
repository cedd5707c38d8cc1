import { expect } from "vitest";
import type { FormSubmissionDetail } from "../packages/contract/src/index.ts";
import { newId } from "../packages/server/src/ids.ts";
import type { TestDatabase } from "./databases.ts";
import { createAgent, createTool } from "./factories.ts";
import { startServer, type TestServer } from "./server.ts";
import { startReceiver } from "./webhook-receiver.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

export type FormClient = Awaited<ReturnType<typeof openForms>>;

const defaults = {
  executionType: "form",
  formSchema: { fields: [{ name: "name", label: "Name", type: "text" }] },
} as const;

/**
 * A server, an organization with an agent, and a receiver for its form submissions. The visitor waits 2 s for
 * deliveries, and an attempt may take 1 s, unless `env` overrides it.
 */
export async function openForms(options: { database?: TestDatabase; env?: Record<string, string> } = {}) {
  const env = { FOYER_SUBMIT_WAIT: "2s", FOYER_WEBHOOK_TIMEOUT: "1s", ...options.env };
  const server = await startServer({ ...options, env });
  const receiver = await startReceiver();
  const account = await server.createAccount();
  const client = await createFormClient(server, account);
  return {
    ...client,
    server,
    receiver,
    account,
    db: server.deps.db,
    /** Clears the recorded requests and makes the receiver respond with 200 again. */
    reset() {
      receiver.received.splice(0);
      receiver.answer((_, response) => response.end("ok"));
    },
    async stop() {
      await server.stop();
      await receiver.stop();
    },
  };
}

/** Actions of members and visitors with forms, through `server`. */
export async function createFormClient(server: TestServer, account: Account) {
  const agentId = await createAgent(account);
  let forms = 0;

  /** Calls a public endpoint as a visitor's page does. */
  async function visit(path: string, payload: object, headers: Record<string, string> = {}) {
    const response = await server.app.inject({ method: "POST", url: `/form-submissions/${path}`, payload, headers });
    return { status: response.statusCode, body: response.json() };
  }

  async function detail(id: string): Promise<FormSubmissionDetail> {
    const { status, body } = await account.call("GET", `/form-submissions/${id}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  return {
    agentId,
    visit,
    detail,
    async createForm(more: object = {}): Promise<{ id: string; name: string }> {
      const name = `form_${[...String(forms++)].map((digit) => "abcdefghij"[Number(digit)]).join("")}`;
      return createTool(account, { agentId, name, ...defaults, ...more });
    },
    submit(
      toolId: string,
      formData: object = { name: "Ada" },
      more: object = {},
      headers: Record<string, string> = {},
    ) {
      return visit("submit", { toolId, formData, fieldsCompleted: Object.keys(formData), ...more }, headers);
    },
    /** Waits for the submission to get this status. */
    async reaches(id: string, status: string): Promise<FormSubmissionDetail> {
      await expect.poll(async () => (await detail(id)).status, { interval: 20 }).toBe(status);
      return detail(id);
    },
    async analyticsOf(toolId: string, query = "") {
      const { body } = await account.call("GET", `/form-submissions/analytics?agentId=${agentId}${query}`);
      return body.analytics.find((entry: { toolId: string }) => entry.toolId === toolId);
    },
    /** A user who belongs to the organization. @returns the user's id */
    async addMember(role: "owner" | "admin" | "member", email: string): Promise<string> {
      const { db } = server.deps;
      const now = new Date().toISOString();
      const id = newId("user");
      await db
        .insertInto("users")
        .values({ id, name: email, email, image: null, createdAt: now, updatedAt: now })
        .execute();
      const { organizationId } = account;
      await db
        .insertInto("members")
        .values({ id: newId("member"), organizationId, userId: id, role, createdAt: now })
        .execute();
      return id;
    },
  };
}
