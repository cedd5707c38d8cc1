import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";

let server: TestServer;
let account: Awaited<ReturnType<TestServer["createAccount"]>>;
let agentId: string;

beforeAll(async () => {
  server = await startServer();
  account = await server.createAccount();
  agentId = (await account.call("POST", "/agents", { name: "Harbour" })).body.data.id;
});
afterAll(() => server.stop());

/** The paths of all problems that the answer names, in its order. */
async function problems(method: "POST" | "PUT" | "PATCH", url: string, body: object) {
  const answer = await account.call(method, url, body);
  expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION_ERROR" } } });
  return answer.body.error.details.map(({ path }: { path: string }) => path);
}

const bubble = { triggerType: "exit_intent", conditions: {}, actionType: "show_bubble", actionConfig: { message: "" } };
const form = (...fields: object[]) => ({ executionType: "form", formSchema: { fields } });
const tool = (settings: object) => ({ agentId, description: "Finds", inputSchema: { type: "object" }, ...settings });

it("One response names the problems of a trigger that its schema finds and those that its rules find", async () => {
  const url = `/triggers?agentId=${agentId}`;
  expect(await problems("POST", url, { ...bubble, name: "" })).toEqual(["name", "actionConfig.message"]);
  const untyped = { ...bubble, name: "Greet", triggerType: "by_magic", conditions: { page: 5 } };
  expect(await problems("POST", url, untyped)).toEqual(["triggerType", "actionConfig.message"]);
  const { body } = await account.call("POST", url, { ...bubble, name: "Greet", actionConfig: { message: "Hello" } });
  const changes = { name: "", actionConfig: { message: "" } };
  expect(await problems("PUT", `/triggers/${body.id}`, changes)).toEqual(["name", "actionConfig.message"]);
  expect((await account.call("PUT", "/triggers/trigger_none", changes)).status).toBe(404);
});

it("One response names the problems of a tool that its schema finds and those that its rules find", async () => {
  const fields = [
    { name: "", label: "Name", type: "text" },
    { name: "size", label: "Size", type: "select" },
  ];
  expect(await problems("POST", "/tools", tool({ name: "", ...form(...fields) }))).toEqual([
    "name",
    "formSchema.fields.0.name",
    "formSchema.fields.1.options",
  ]);
  const { body } = await account.call("POST", "/tools", tool({ name: "ask", ...form({ ...fields[0], name: "a" }) }));
  expect(await problems("PUT", `/tools/${body.id}`, { label: 5, ...form(fields[1] ?? {}) })).toEqual([
    "label",
    "formSchema.fields.0.options",
  ]);
});

it("A setting is not compared with one that the schema refuses", async () => {
  const http = { name: "find", executionType: "http", httpUrl: "https://api.example.com/{shop}" };
  expect(await problems("POST", "/tools", tool({ ...http, inputSchema: [] }))).toEqual(["inputSchema"]);
  expect(await problems("POST", "/tools", tool({ ...http, executionType: "htp" }))).toEqual(["executionType"]);
  const mailed = { formConfirmation: { emailField: "email", subject: "Thanks", message: "Thanks" } };
  const broken = { name: "ask", ...form({ name: 5, label: "Email", type: "email" }), ...mailed };
  expect(await problems("POST", "/tools", tool(broken))).toEqual(["formSchema.fields.0.name"]);
});

it("One response names the problems of an agent that its schema finds and those that its rules find", async () => {
  const lists = { allowedOrigins: ["shop"], allowedImageHosts: ["a;b"] };
  const paths = ["name", "allowedOrigins.0", "allowedImageHosts.0"];
  expect(await problems("POST", "/agents", { name: "", ...lists })).toEqual(paths);
  expect(await problems("PATCH", `/agents/${agentId}`, { name: "", ...lists })).toEqual(paths);
});
