import { expect } from "vitest";

/** A caller of the management API: an organization with a key, or a browser with a signed-in user. */
type Caller = {
  call: (method: "POST", url: string, body: object) => Promise<{ status: number; body: unknown }>;
};

async function create<Created>(caller: Caller, url: string, body: object): Promise<Created> {
  const created = await caller.call("POST", url, body);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return created.body as Created;
}

/** @returns the id of a new agent, named Harbour by default */
export async function createAgent(caller: Caller, settings: object = {}): Promise<string> {
  const { data } = await create<{ data: { id: string } }>(caller, "/agents", { name: "Harbour", ...settings });
  return data.id;
}

type ToolSettings = { agentId: string; name: string; executionType: "mock" | "http" | "form" };

/** @returns a new tool without inputs, unless `settings` declare some */
export async function createTool<Settings extends ToolSettings>(
  caller: Caller,
  settings: Settings,
): Promise<{ id: string; name: string }> {
  return create(caller, "/tools", {
    description: `Does ${settings.name}`,
    inputSchema: { type: "object" },
    ...settings,
  });
}
