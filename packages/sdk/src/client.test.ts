import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../test/server.ts";
import { createClient } from "./client.ts";
import { FoyerError } from "./foyer-error.ts";

describe("the client, against a real server,", () => {
  let server: TestServer;
  let agentId: string;
  let toolId: string;
  beforeAll(async () => {
    server = await startServer({ listen: true, env: { FOYER_WEBHOOK_TIMEOUT: "1s" } });
    const owner = await server.createAccount();
    const widget = { greeting: "Hello", accentColor: "#0f766e" };
    agentId = (await owner.call("POST", "/agents", { name: "Harbour", widget, systemPrompt: "We open at nine." })).body
      .data.id;
    const form = {
      agentId,
      name: "test_ride",
      description: "Books a test ride",
      executionType: "form",
      inputSchema: { type: "object", properties: {} },
      formExecutionMode: "client",
      formClientHandler: "book",
      formSchema: { fields: [{ name: "email", label: "E-mail", type: "email" }] },
    };
    toolId = (await owner.call("POST", "/tools", form)).body.id;
    const trigger = {
      name: "Hello",
      triggerType: "exit_intent",
      conditions: {},
      actionType: "show_bubble",
      actionConfig: { message: "Wait" },
    };
    await owner.call("POST", `/triggers?agentId=${agentId}`, trigger);
  });
  afterAll(() => server.stop());

  it("reads only what a widget shows", async () => {
    const { id, name, widget, ...rest } = await createClient({ baseUrl: server.url }).widget(agentId);
    expect([id, name, widget]).toEqual([agentId, "Harbour", { greeting: "Hello", accentColor: "#0f766e" }]);
    expect(rest).toEqual({
      allowedImageHosts: [],
      attachments: { images: false, files: false, handoffOnly: false },
      handoff: null,
      images: { logo: null, avatar: null, launcher: null },
      pageQuery: [],
      requireIdentity: false,
    });
  });

  it("chats, reads the conversation with its token, and rates a message", async () => {
    const client = createClient({ baseUrl: server.url });
    const key = { id: "", token: "" };
    let messageId = "";
    for await (const event of client.chat({ agentId, messages: [{ role: "user", content: "When do you open?" }] })) {
      if (event.type !== "message_start") continue;
      Object.assign(key, { id: event.conversationId, token: event.conversationToken });
      messageId = event.messageId;
    }
    await client.rate(key, { messageId, rating: "up" });
    const { messages } = await client.conversation(key);
    expect(messages.map(({ role, feedback }) => [role, feedback])).toEqual([
      ["user", null],
      ["assistant", "up"],
    ]);
    await client.stop(key);
    await expect(client.conversation({ ...key, token: "wrong" })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("lists triggers, records their events, and submits a form", async () => {
    const client = createClient({ baseUrl: server.url });
    const [trigger] = await client.triggers(agentId);
    expect(trigger?.name).toBe("Hello");
    const names = { triggerName: "Hello", triggerType: "exit_intent", actionType: "show_bubble" } as const;
    await client.recordTriggerEvent({ agentId, ...names, eventType: "fired" });
    expect((await client.form("test_ride", agentId)).toolId).toBe(toolId);
    await client.recordFormEvent({ toolId, eventType: "impression", formInstanceId: "one" });
    const { submissionId, clientHandler } = await client.submitForm({
      toolId,
      formData: { email: "ada@shop.example" },
      fieldsCompleted: ["email"],
    });
    expect(clientHandler).toBe("book");
    await client.reportClientResult({ submissionId, success: true });
  });

  it("reports errors field by field", async () => {
    const client = createClient({ baseUrl: server.url });
    const error = await client
      .submitForm({ toolId, formData: { email: "nobody" }, fieldsCompleted: [] })
      .catch((error) => error);
    expect(error).toBeInstanceOf(FoyerError);
    expect([error.code, error.status, error.isTemporary]).toEqual(["VALIDATION_ERROR", 400, false]);
    expect(error.details).toHaveLength(1);
  });
});
