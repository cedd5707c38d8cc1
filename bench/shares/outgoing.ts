import { createNameResolver } from "../../packages/server/src/outbound/resolve-names.ts";
import { startDnsServer } from "../../test/dns-server.ts";
import { startHook, startMailServer, startSilentHost } from "./hosts.ts";
import type { Share } from "./share.ts";
import { repeat, type Tenant } from "./tenant.ts";

const WEBHOOKS = 20;
const LARGE_FILE = 4_000_000;

/** Lookups run in this process, because the server uses the name servers of the machine. */
const lookups: Share = {
  resource: "DNS lookups of members' names",
  async prepare() {
    const names = await startDnsServer(({ name, type }) =>
      name.endsWith("hang.test") ? "silence" : type === "A" ? [{ type, data: "127.0.0.1" }] : [],
    );
    const resolver = createNameResolver({ servers: [names.address] });
    let next = 0;
    return {
      probe: (round) => resolver.resolveUntrusted(`shop-${round}.test`, "quiet"),
      attack: (signal) =>
        repeat(signal, 500, () => resolver.resolveUntrusted(`x${next++}.hang.test`, "greedy").catch(() => {})),
    };
  },
};

const calls: Share = {
  resource: "Calls to members' hosts, and their sockets",
  pool: "outbound_calls",
  // A quarter would be 2,048, but opening that many connections takes longer than the first ones live.
  share: 500,
  async prepare({ quiet, greedy }) {
    const silent = await startSilentHost();
    const hook = await startHook();
    const slow = await createTool(greedy, silent);
    const quick = await createTool(quiet, hook.url);
    return {
      probe: () => quiet.call("POST", `/tools/${quick}/test`, { input: {} }),
      attack: (signal) => repeat(signal, 2_100, () => greedy.ask("POST", `/tools/${slow}/test`, { input: {} })),
    };
  },
};

async function createTool({ call, agentId }: Tenant, httpUrl: string): Promise<string> {
  const tool = { agentId, name: "look_up", description: "Looks up", executionType: "http", httpUrl, httpMethod: "GET" };
  return (await call<{ id: string }>("POST", "/tools", { ...tool, inputSchema: { type: "object" } })).id;
}

const deliveries: Share = {
  resource: "Deliveries, team-chat posts",
  pool: "deliveries",
  share: 256,
  async prepare({ quiet, greedy }) {
    for (let count = 0; count < WEBHOOKS; count++)
      await greedy.call("POST", "/webhooks", { url: await startSilentHost(), events: ["*"] });
    const hook = await startHook();
    await quiet.call("POST", "/webhooks", { url: hook.url, events: ["conversation.started"] });
    return {
      async probe() {
        const arrived = hook.next();
        void say(quiet);
        await arrived;
      },
      attack: (signal) => repeat(signal, 4, () => say(greedy)),
    };
  },
};

const say = ({ ask, agentId }: Tenant) =>
  ask("POST", "/chat", { agentId, messages: [{ role: "user", content: "Hello" }] });

const emails: Share = {
  resource: "Emails of the outbox",
  pool: "mail_connections",
  share: 4,
  async prepare({ quiet, greedy }) {
    const forms = await Promise.all([quiet, greedy].map((tenant) => createForm(tenant, { formConfirmation })));
    const [quick, slow] = forms as [string, string];
    return {
      async probe(round) {
        const arrived = mails.next();
        await submit(quiet, quick, { email: `quick${round}@example.com` });
        await arrived;
      },
      attack: (signal) => repeat(signal, 40, () => submit(greedy, slow, { email: `slow${Math.random()}@example.com` })),
    };
  },
};

const mails = await startMailServer();
emails.env = { SMTP_URL: mails.url, FOYER_MAIL_FROM: "bench@example.com" };
const formConfirmation = { emailField: "email", subject: "Thank you", message: "We have received your message." };

const large: Share = {
  resource: "Large deliveries",
  pool: "large_deliveries",
  share: 2,
  async prepare({ quiet, greedy }) {
    const hook = await startHook();
    const quick = await createForm(quiet, { formWebhookUrl: hook.url });
    const slow = await createForm(greedy, { formWebhookUrl: await startSilentHost() });
    return {
      async probe() {
        const arrived = hook.next();
        await submit(quiet, quick, { photo: createFile(LARGE_FILE) });
        await arrived;
      },
      async attack() {
        for (let count = 0; count < 10; count++) await submit(greedy, slow, { photo: createFile(LARGE_FILE) });
      },
    };
  },
};

async function createForm({ call, agentId }: Tenant, more: object): Promise<string> {
  const fields = [
    { name: "email", label: "Email", type: "email" },
    { name: "photo", label: "Photo", type: "file" },
  ];
  const form = { agentId, name: "contact", description: "A contact form", executionType: "form" };
  const body = { ...form, formSchema: { fields }, inputSchema: { type: "object" }, ...more };
  return (await call<{ id: string }>("POST", "/tools", body)).id;
}

async function submit({ call }: Tenant, toolId: string, formData: object): Promise<void> {
  await call("POST", "/form-submissions/submit", { toolId, formData, fieldsCompleted: Object.keys(formData) });
}

const createFile = (bytes: number) => `data:text/plain;base64,${Buffer.alloc(bytes, "x").toString("base64")}`;

export const outgoingShares = [lookups, calls, deliveries, emails, large];
