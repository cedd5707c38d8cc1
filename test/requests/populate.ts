import type { TestServer } from "../server.ts";
import { createMember, signedInBrowser } from "../session-client.ts";
import type { Ids } from "./generate-value.ts";

/** An organization with one of each resource, and ways to call as its key and as its owner. */
export type World = { ids: Ids; pathIds: Ids; key: string; cookie: string; token: string };

export async function populate(server: TestServer): Promise<World> {
  const { organizationId, headers, call } = await server.createAccount();
  const owner = await createMember(server, organizationId, "owner");
  const member = await createMember(server, organizationId, "member");
  const browser = await signedInBrowser(server, owner.email);
  const agentId: string = (await call("POST", "/agents", { name: "Harbour" })).body.data.id;
  const chat = await server.app.inject({
    method: "POST",
    url: "/chat",
    payload: { agentId, messages: [{ role: "user", content: "Hello" }] },
  });
  const start = JSON.parse(/^data: (.*)$/m.exec(chat.body)?.[1] ?? "{}");
  const tool = { agentId, name: "contact", description: "Asks", inputSchema: { type: "object" } };
  const formSchema = { fields: [{ name: "a", label: "A", type: "text" }] };
  const form = (await call("POST", "/tools", { ...tool, executionType: "form", formSchema })).body;
  const trigger = { name: "t", triggerType: "exit_intent", conditions: {}, actionType: "open_chat", actionConfig: {} };
  const triggerId = (await call("POST", `/triggers?agentId=${agentId}`, trigger)).body.id;
  const submission = { toolId: form.id, formData: { a: "b" }, fieldsCompleted: ["a"] };
  const { submissionId } = (await call("POST", "/form-submissions/submit", submission)).body;
  const text = { agentId, kind: "text", title: "Hours", text: "Open from 9 to 18." };
  const documentId = (await call("POST", "/documents", text)).body.id;
  // Nobody listens there.
  const site = { agentId, url: "http://127.0.0.1:1/", schedule: "manual" };
  const sourceId = (await call("POST", "/sources", site)).body.id;
  await call("POST", "/secrets", { name: "STOCK_KEY", value: "v" });
  const recipientId = (await call("POST", "/mail-recipients", { address: "leads@example.com" })).body.id;
  const cookie = `foyer_session=${browser.cookies.get("foyer_session")}`;
  const ids = { agentId, toolId: form.id, triggerId, submissionId, conversationId: start.conversationId };
  return {
    ids: { ...ids, messageId: start.messageId, documentId, sourceId, recipientIds: owner.userId, organizationId },
    pathIds: {
      agents: agentId,
      conversations: start.conversationId,
      chat: start.conversationId,
      tools: form.id,
      triggers: triggerId,
      "form-submissions": submissionId,
      documents: documentId,
      sources: sourceId,
      name: "STOCK_KEY",
      "mail-recipients": recipientId,
      members: member.userId,
      provider: "openai",
    },
    key: headers.authorization,
    cookie,
    token: start.conversationToken,
  };
}
