import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, signedInBrowser } from "../../../../test/session-client.ts";

let server: TestServer;
let account: Awaited<ReturnType<TestServer["createAccount"]>>;
let browser: Awaited<ReturnType<typeof signedInBrowser>>;
let agentId: string;

beforeAll(async () => {
  server = await startServer();
  account = await server.createAccount();
  browser = await signedInBrowser(server, (await createMember(server, account.organizationId, "owner")).email);
  agentId = (await account.call("POST", "/agents", { name: "Harbour" })).body.data.id;
});
afterAll(() => server.stop());

/** Returns the paths of all problems in the response, in its order. */
async function listProblemPaths(
  method: "POST" | "PUT" | "PATCH",
  url: string,
  body: object,
  { call } = { call: account.call },
) {
  const answer = await call(method, url, body);
  expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION_ERROR" } } });
  return answer.body.error.details.map(({ path }: { path: string }) => path);
}

const bubble = { triggerType: "exit_intent", conditions: {}, actionType: "show_bubble", actionConfig: { message: "" } };
const createFormSettings = (...fields: object[]) => ({ executionType: "form", formSchema: { fields } });
const createToolBody = (settings: object) => ({
  agentId,
  description: "Finds",
  inputSchema: { type: "object" },
  ...settings,
});

it("one response names the problems of a trigger that its schema finds and those that its rules find", async () => {
  const url = `/triggers?agentId=${agentId}`;
  expect(await listProblemPaths("POST", url, { ...bubble, name: "" })).toEqual(["name", "actionConfig.message"]);
  const untyped = { ...bubble, name: "Greet", triggerType: "by_magic", conditions: { page: 5 } };
  expect(await listProblemPaths("POST", url, untyped)).toEqual(["triggerType", "actionConfig.message"]);
  const { body } = await account.call("POST", url, { ...bubble, name: "Greet", actionConfig: { message: "Hello" } });
  const changes = { name: "", actionConfig: { message: "" } };
  expect(await listProblemPaths("PUT", `/triggers/${body.id}`, changes)).toEqual(["name", "actionConfig.message"]);
  expect((await account.call("PUT", "/triggers/trigger_none", changes)).status).toBe(404);
});

it("one response names the problems of a tool that its schema finds and those that its rules find", async () => {
  const fields = [
    { name: "", label: "Name", type: "text" },
    { name: "size", label: "Size", type: "select" },
  ];
  expect(
    await listProblemPaths("POST", "/tools", createToolBody({ name: "", ...createFormSettings(...fields) })),
  ).toEqual(["name", "formSchema.fields.0.name", "formSchema.fields.1.options"]);
  const { body } = await account.call(
    "POST",
    "/tools",
    createToolBody({ name: "ask", ...createFormSettings({ ...fields[0], name: "a" }) }),
  );
  expect(
    await listProblemPaths("PUT", `/tools/${body.id}`, { label: 5, ...createFormSettings(fields[1] ?? {}) }),
  ).toEqual(["label", "formSchema.fields.0.options"]);
});

it("a setting is not checked against another setting that the schema rejects", async () => {
  const http = { name: "find", executionType: "http", httpUrl: "https://api.example.com/{shop}" };
  expect(await listProblemPaths("POST", "/tools", createToolBody({ ...http, inputSchema: [] }))).toEqual([
    "inputSchema",
  ]);
  expect(await listProblemPaths("POST", "/tools", createToolBody({ ...http, executionType: "htp" }))).toEqual([
    "executionType",
  ]);
  const mailed = { formConfirmation: { emailField: "email", subject: "Thanks", message: "Thanks" } };
  const broken = { name: "ask", ...createFormSettings({ name: 5, label: "Email", type: "email" }), ...mailed };
  expect(await listProblemPaths("POST", "/tools", createToolBody(broken))).toEqual(["formSchema.fields.0.name"]);
});

it("one response names the problems of an agent that its schema finds and those that its rules find", async () => {
  const lists = { allowedOrigins: ["shop"], allowedImageHosts: ["a;b"], linkHosts: ["com"] };
  const paths = ["name", "allowedOrigins.0", "allowedImageHosts.0", "linkHosts.0"];
  expect(await listProblemPaths("POST", "/agents", { name: "", ...lists })).toEqual(paths);
  expect(await listProblemPaths("PATCH", `/agents/${agentId}`, { name: "", ...lists })).toEqual(paths);
});

type Case = [endpoint: string, body: () => object, paths: string[]];

const createMessage = (content: string, role = "user") => ({ role, content });
const large = { text: "x".repeat(9_000) };

it.each<Case>([
  ["POST /documents for a text", () => ({ kind: "text", title: "" }), ["agentId", "title", "text"]],
  ["POST /documents for a question", () => ({ agentId, kind: "faq", question: 5 }), ["question", "answer"]],
  [
    "POST /documents for a page",
    () => ({ agentId, kind: "page", title: " ", url: "ftp://a.example" }),
    ["title", "url"],
  ],
  [
    "PUT /documents/by-key/hours",
    () => ({ agentId, kind: "faq", citation: "all" }),
    ["citation", "question", "answer"],
  ],
  [
    "POST /sources",
    () => ({ url: "help", include: ["help"], urls: ["https://b.example"], maxPages: 0 }),
    ["agentId", "maxPages", "url", "include.0"],
  ],
  [
    "POST /sources/preview",
    () => ({ url: "https://a.example", include: 5, exclude: ["no slash"] }),
    ["include", "exclude.0"],
  ],
  ["POST /secrets", () => ({ name: "9", value: "", hosts: ["https://a.example"] }), ["name", "value", "hosts.0"]],
  ["PUT /secrets/KEY", () => ({ value: "", hosts: ["a.example/path"] }), ["value", "hosts.0"]],
  [
    "POST /webhooks",
    () => ({ url: "ftp://a.example", events: [], agentIds: ["agent_none"] }),
    ["events", "url", "agentIds.0"],
  ],
  ["PUT /models/providers/openai", () => ({ apiKey: "", baseUrl: "ftp://a.example" }), ["apiKey", "baseUrl"]],
  [
    "POST /chat with a valid body",
    () => ({ agentId, messages: [createMessage(" ")], userMetadata: large, page: { context: large } }),
    ["messages.0.content", "userMetadata", "page.context"],
  ],
  [
    "POST /chat with a wrong visitor",
    () => ({ messages: [createMessage(" ")], userMetadata: large, page: { context: large }, userId: 5 }),
    ["agentId", "userId", "messages.0.content", "userMetadata", "page.context"],
  ],
  [
    "POST /chat without messages",
    () => ({ agentId, messages: [], page: { context: large } }),
    ["messages", "page.context"],
  ],
  [
    "POST /chat with a wrong conversation",
    () => ({ agentId, messages: [createMessage("Hi", "assistant")], conversationId: 5 }),
    ["conversationId"],
  ],
  [
    "POST /auth/setup",
    () => ({ token: "x", email: "ada", password: "short", organizationName: "www.a.example" }),
    ["password", "email", "organizationName"],
  ],
  [
    "POST /auth/sign-up/email",
    () => ({ email: "ada", password: "short", name: "www.a.example" }),
    ["password", "email", "name"],
  ],
])("one response of %s names what the schema refuses and what the rules refuse", async (endpoint, body, paths) => {
  const [method, url = ""] = endpoint.split(" ");
  expect((await listProblemPaths(method as "POST", url, body())).toSorted()).toEqual(paths.toSorted());
});

it("one response names the problems of a changed document, site or webhook, unless it does not exist", async () => {
  const page = { agentId, kind: "page", url: "http://127.0.0.1:1/hours" };
  const site = { agentId, url: "http://127.0.0.1:1", schedule: "manual" };
  const webhook = { url: "https://a.example", events: ["*"] };
  const createResource = async (url: string, body: object): Promise<string> =>
    (await account.call("POST", url, body)).body.id;
  const [documentId, sourceId, webhookId] = [
    await createResource("/documents", page),
    await createResource("/sources", site),
    await createResource("/webhooks", webhook),
  ];
  expect(await listProblemPaths("PUT", `/documents/${documentId}`, { title: "", url: "ftp://a.example" })).toEqual([
    "title",
    "url",
  ]);
  const urls = ["https://b.example"];
  expect(await listProblemPaths("PUT", `/sources/${sourceId}`, { maxPages: 0, urls })).toEqual(["maxPages", "urls.0"]);
  expect(await listProblemPaths("PUT", `/sources/${sourceId}`, { url: 5, urls })).toEqual(["url"]);
  expect(await listProblemPaths("PATCH", `/webhooks/${webhookId}`, { events: [], agentIds: ["agent_none"] })).toEqual([
    "events",
    "agentIds.0",
  ]);
  const nowhere = { url: "", events: [], maxPages: 0, title: "" };
  expect((await account.call("PUT", "/documents/doc_none", nowhere)).status).toBe(404);
  expect((await account.call("PUT", "/sources/source_none", nowhere)).status).toBe(404);
  expect((await account.call("PATCH", "/webhooks/webhook_none", nowhere)).status).toBe(404);
});

it("one response names the problems of an API key or an invitation that its schema finds and those that its rules find", async () => {
  const key = { name: " ", expiresAt: "2020-01-31" };
  expect(await listProblemPaths("POST", "/api-keys", key, browser)).toEqual(["name", "expiresAt"]);
  expect(await listProblemPaths("POST", "/invitations", { email: "a b@c.example" }, browser)).toEqual([
    "role",
    "email",
  ]);
});
