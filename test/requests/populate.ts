import type { TestServer } from "../server.ts";
import { createMember, signedInBrowser } from "../session-client.ts";
import type { Ids } from "./generate-value.ts";

/** An organization with one of each resource, and ways to call as its key and as its owner. */
export type SampleOrganization = { ids: Ids; pathIds: Ids; key: string; cookie: string; token: string };

/** One black pixel as PNG. */
const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

export async function populate(server: TestServer): Promise<SampleOrganization> {
  const { organizationId, headers, call } = await server.createAccount();
  const owner = await createMember(server, organizationId, "owner");
  const member = await createMember(server, organizationId, "member");
  const browser = await signedInBrowser(server, owner.email);
  const agentId: string = (await call("POST", "/agents", { name: "Harbour" })).body.data.id;
  await call("PUT", "/events/feed", { isEnabled: true });
  // Nothing listens there.
  const nowhere = "http://127.0.0.1:1/";
  const webhookId: string = (await call("POST", "/webhooks", { url: nowhere, events: ["*"] })).body.id;
  const visitor = { id: "customer-7", email: "ada@example.com", claims: { plan: "pro" } };
  const userToken: string = (await call("POST", `/agents/${agentId}/identity-token`, visitor)).body.data.token;
  const chat = await server.app.inject({
    method: "POST",
    url: "/chat",
    payload: { agentId, userToken, messages: [{ role: "user", content: "Hello" }] },
  });
  const start = JSON.parse(/^data: (.*)$/m.exec(chat.body)?.[1] ?? "{}");
  const deliveryId: string = (await call("GET", `/webhooks/${webhookId}/deliveries`)).body.deliveries[0].id;
  const tool = { agentId, name: "contact", description: "Asks", inputSchema: { type: "object" } };
  const formSchema = { fields: [{ name: "a", label: "A", type: "text" }] };
  const form = (await call("POST", "/tools", { ...tool, executionType: "form", formSchema })).body;
  const trigger = { name: "t", triggerType: "exit_intent", conditions: {}, actionType: "open_chat", actionConfig: {} };
  const triggerId = (await call("POST", `/triggers?agentId=${agentId}`, trigger)).body.id;
  const submission = { toolId: form.id, formData: { a: "b" }, fieldsCompleted: ["a"] };
  const { submissionId } = (await call("POST", "/form-submissions/submit", submission)).body;
  const text = { agentId, kind: "text", title: "Hours", text: "Open from 9 to 18." };
  const documentId = (await call("POST", "/documents", text)).body.id;
  const site = { agentId, url: nowhere, schedule: "manual" };
  const sourceId = (await call("POST", "/sources", site)).body.id;
  await call("POST", "/secrets", { name: "STOCK_KEY", value: "v" });
  const client = { ...tool, name: "open_cart", executionType: "client" };
  const clientToolId: string = (await call("POST", "/tools", client)).body.id;
  const { messageId, conversationId } = start;
  await server.deps.db
    .insertInto("clientToolCalls")
    .values({
      conversationId,
      messageId,
      toolUseId: "call_1",
      toolId: clientToolId,
      claimedBy: null,
      outcome: null,
      digest: null,
      createdAt: Date.now(),
    })
    .execute();
  const recipientId = (await call("POST", "/mail-recipients", { address: "leads@example.com" })).body.id;
  const invitation = { email: `guest-${organizationId}@example.com`, role: "member" };
  const invitationId: string = (await browser.call("POST", "/invitations", invitation)).body.id;
  const cookie = `foyer_session=${browser.cookies.get("foyer_session")}`;
  return {
    ids: {
      agentId,
      agentIds: agentId,
      toolId: form.id,
      triggerId,
      submissionId,
      conversationId,
      messageId,
      documentId,
      sourceId,
      recipientIds: owner.userId,
      organizationId,
      userToken,
      userId: visitor.id,
      toolUseId: "call_1",
      invitationId,
      image: pixel,
    },
    pathIds: {
      agents: agentId,
      conversations: conversationId,
      chat: conversationId,
      tools: form.id,
      triggers: triggerId,
      "form-submissions": submissionId,
      documents: documentId,
      sources: sourceId,
      name: "STOCK_KEY",
      "mail-recipients": recipientId,
      members: member.userId,
      provider: "openai",
      webhooks: webhookId,
      deliveryId,
      invitations: invitationId,
      toolIdOrName: form.id,
    },
    key: headers.authorization,
    cookie,
    token: start.conversationToken,
  };
}
