import type { FormField } from "../../packages/contract/src/index.ts";
import { startOwnServer } from "../dashboard-site.ts";
import { startHostPage } from "../host-page.ts";
import { createOwner, password, signedInBrowser } from "../session-client.ts";
import { chunk, eventStream, sayWords, startUpstream } from "../upstream.ts";

/** Records what the page's console would show, because WebDriver gives no access to the console of WebKit. */
const recorder = `
  window.recorded = [];
  const record = (text) => window.recorded.push(String(text));
  addEventListener("error", (event) => record(event.message));
  addEventListener("unhandledrejection", (event) => record(event.reason));
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
    // Browsers request /favicon.ico automatically.
    if (!blockedURI.endsWith("/favicon.ico")) record(violatedDirective + " " + blockedURI);
  });
  const log = console.error;
  console.error = (...values) => { record(values.join(" ")); log(...values); };
`;

const isRequired = { required: { value: true } };

/** A form that is taller than the panel, with a select and a date. */
const fields: FormField[] = [
  { name: "name", label: "Name", type: "text", validation: isRequired },
  {
    name: "size",
    label: "Size",
    type: "select",
    options: ["S", "M", "L"].map((size) => ({ label: size, value: size })),
  },
  { name: "day", label: "Day", type: "date" },
  ...Array.from({ length: 8 }, (_, index) => ({
    name: `detail_${index}`,
    label: `Detail ${index}`,
    type: "text" as const,
  })),
];

/** A server with an owner, an agent with five tools, and a site with a strict policy that embeds it. */
export async function startSmokeSite() {
  const upstream = await startUpstream();
  const server = await startOwnServer({
    env: {
      OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_LIMIT_CHAT_PER_SESSION: "0",
    },
  });
  const host = await startHostPage(server.url);
  host.before(recorder);
  const owner = await createOwner(server);
  const session = await signedInBrowser(server, owner.email);
  const create = async (path: string, body: object) => {
    const answer = await session.call("POST", path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.body.data ?? answer.body;
  };
  const agent = await create("/agents", { name: "Harbour", model: "openai-compatible/test" });
  const tool = { agentId: agent.id, inputSchema: { type: "object", properties: {} } };
  for (const name of ["card", "booking", "stock", "hours"]) {
    await create("/tools", { ...tool, name, description: `Shows ${name}`, executionType: "mock", mockResponse: "{}" });
  }
  const form = await create("/tools", {
    ...tool,
    name: "test_ride",
    description: "Books a test ride",
    executionType: "form",
    formWebhookUrl: "https://harbour-bikes.example/hook",
    formSchema: { fields },
  });
  return {
    agentId: agent.id as string,
    formId: form.id as string,
    dashboardUrl: `${server.url}/dashboard`,
    owner: { email: owner.email, password },
    page: (attributes: Record<string, string> = {}) => host.page("/", { "data-agent-id": agent.id, ...attributes }),
    say: (...words: string[]) => upstream.script(sayWords(...words)),
    /** A reply of one word that runs until it is stopped. */
    sayWithoutEnd: () => upstream.script((exchange) => void eventStream(exchange).send(chunk({ content: "We " }))),
    async stop() {
      await host.stop();
      await server.stop();
      await upstream.stop();
    },
  };
}
