import { type DetailCode, detailCodes } from "@foyer/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";

let server: TestServer;
let account: Awaited<ReturnType<TestServer["createAccount"]>>;
let agentId: string;
let formId: string;

const createToolBody = (settings: object) => ({
  agentId,
  name: "look_up",
  description: "Finds",
  inputSchema: { type: "object" },
  executionType: "mock",
  ...settings,
});
const createFormBody = (...fields: object[]) =>
  createToolBody({ name: "ask", executionType: "form", formSchema: { fields } });
const photo = { name: "photo", label: "Photo", type: "image" };

beforeAll(async () => {
  server = await startServer();
  account = await server.createAccount();
  agentId = (await account.call("POST", "/agents", { name: "Harbour" })).body.data.id;
  formId = (await account.call("POST", "/tools", createFormBody(photo))).body.id;
});
afterAll(() => server.stop());

const createSubmission = (content: string) => ({ toolId: formId, formData: { photo: content }, fieldsCompleted: [] });
const createTriggerBody = (conditions: object) => ({
  name: "Greet",
  triggerType: "custom_event",
  conditions: { event: "cart", ...conditions },
  actionType: "open_chat",
  actionConfig: {},
});

/** For each code, a request that is rejected with it, and the path in the detail. */
const requests: Record<DetailCode, [method: "GET" | "POST", url: () => string, path: string, body?: () => object]> = {
  required: ["POST", () => "/agents", "name", () => ({})],
  type: ["POST", () => "/agents", "name", () => ({ name: 5 })],
  min_length: ["POST", () => "/agents", "name", () => ({ name: "" })],
  max_length: ["POST", () => "/agents", "name", () => ({ name: "x".repeat(201) })],
  min: ["POST", () => "/agents", "temperature", () => ({ name: "A", temperature: -1 })],
  max: ["POST", () => "/agents", "temperature", () => ({ name: "A", temperature: 101 })],
  pattern: ["POST", () => "/tools", "name", () => createToolBody({ name: "Look up" })],
  format: ["GET", () => "/form-submissions?from=yesterday", "from"],
  enum: ["POST", () => "/tools", "executionType", () => createToolBody({ executionType: "magic" })],
  min_items: ["POST", () => "/form-submissions/retry", "statuses", () => ({ statuses: [] })],
  max_items: ["POST", () => "/form-submissions/retry", "statuses", () => ({ statuses: Array(9).fill("failed") })],
  duplicate: ["POST", () => "/tools", "formSchema.fields.1.name", () => createFormBody(photo, photo)],
  unknown_reference: [
    "POST",
    () => "/tools",
    "httpUrl",
    () => createToolBody({ executionType: "http", httpUrl: "https://api.example.com/{size}" }),
  ],
  file_type: [
    "POST",
    () => "/form-submissions/submit",
    "formData.photo",
    () => createSubmission("data:text/plain;base64,QUJD"),
  ],
  file_size: [
    "POST",
    () => "/form-submissions/submit",
    "formData.photo",
    () => createSubmission(`data:image/png;base64,${"A".repeat(8_000_000)}`),
  ],
  not_allowed: [
    "POST",
    () => "/tools",
    "formSchema.fields.0.validation.minLength",
    () => {
      return createFormBody({ ...photo, validation: { minLength: { value: 1, message: "Longer" } } });
    },
  ],
  invalid: [
    "POST",
    () => `/triggers?agentId=${agentId}`,
    "conditions.eventData",
    () => createTriggerBody({ eventData: { total: { $where: "1" } } }),
  ],
};

it.each(Object.keys(detailCodes) as DetailCode[])("a problem is identified by the detail code %s", async (code) => {
  const [method, url, path, body] = requests[code];
  const response = await server.app.inject({
    method,
    url: url(),
    headers: account.headers,
    ...(body ? { payload: body() } : {}),
  });
  expect([400, 413]).toContain(response.statusCode);
  expect(response.json().error.details).toContainEqual({ path, code, message: expect.any(String) });
});

it.each([
  ["/agents", { name: "A", model: "my model" }, "model must be the name of a model, such as openai/gpt-5: "],
  ["/secrets", { name: "1st key", value: "v" }, "name must contain only letters, digits and underscores, such as "],
  ["/agents", { name: "A", widget: { accentColor: "red" } }, "widget.accentColor must be a color such"],
  ["/agents", { name: "A", widget: { face: "owl" } }, "widget.face must be "],
])("a text that %s refuses is answered with the required format: %j", async (url, body, message) => {
  const answer = await account.call("POST", url, body);
  expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining(message)]);
});
