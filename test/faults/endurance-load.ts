import { setTimeout as wait } from "node:timers/promises";
import { createChatLoad } from "./chat-load.ts";
import { call, createForm, type FaultSite, isBusy, type Server, type ServerProcess, submit } from "./fault-site.ts";
import { createRetryingLoad } from "./retrying-load.ts";

const CLIENTS = { chats: 8, submissions: 2, events: 2 };
const PAUSE_MS = 200;
const POLL_MS = 20;

export type EnduranceLoad = Awaited<ReturnType<typeof createEnduranceLoad>>;

/** Everything that visitors and members of one organization do, with an agent, a form, a trigger and a webhook. */
export async function createEnduranceLoad(site: FaultSite, serverProcess: ServerProcess, name: string) {
  const toolId = await createForm(serverProcess, `${site.receiver.url}/form`);
  const { agentId } = await call<{ agentId: string }>(serverProcess, "GET", `/tools/${toolId}`);
  await call(serverProcess, "POST", "/tools", {
    agentId,
    name: "look_up",
    description: "Looks it up",
    inputSchema: { type: "object" },
    executionType: "http",
    httpUrl: `${site.receiver.url}/tool`,
  });
  const trigger = await call<{ id: string }>(serverProcess, "POST", `/triggers?agentId=${agentId}`, {
    name: "Welcome",
    triggerType: "time_on_page",
    conditions: { timeOnPage: 5 },
    actionType: "show_bubble",
    actionConfig: { message: "Hello" },
  });
  const events = ["conversation.started", "message.created", "reply.finished", "reply.failed"];
  await call(serverProcess, "POST", "/webhooks", { url: `${site.receiver.url}/event`, events, agentIds: [agentId] });

  const pauseMs = PAUSE_MS;
  const submissions = createRetryingLoad(async (server, key) => (await submit(server, toolId, key)).submissionId, {
    clients: CLIENTS.submissions,
    pauseMs,
  });
  const triggerEvents = createRetryingLoad(
    (server, key) => recordEvent(server, { agentId, triggerId: trigger.id, key }),
    { clients: CLIENTS.events, pauseMs },
  );
  const chats = createChatLoad(agentId, { name, clients: CLIENTS.chats });
  return {
    agentId,
    toolId,
    triggerId: trigger.id,
    submissions,
    triggerEvents,
    chats,
    /** Runs until the server is gone, or until `signal`. `other` shares the database. */
    async run(server: ServerProcess, other: () => ServerProcess, signal: AbortSignal): Promise<void> {
      await Promise.all([
        submissions.run(server, signal),
        triggerEvents.run(server, signal),
        chats.run(server, other, signal),
        readDashboard(server, { agentId, toolId, latest: () => chats.turns.at(-1)?.conversationId }, signal),
      ]);
    },
    /** Resolves when `count` more requests of each kind are acknowledged. */
    async hasAcknowledged(count: number): Promise<void> {
      const lists = [submissions.acknowledged, triggerEvents.acknowledged, chats.turns];
      const wanted = lists.map((list) => list.length + count);
      while (lists.some((list, index) => list.length < (wanted[index] ?? 0))) await wait(POLL_MS);
    },
    /** Retries the requests that are still unanswered. */
    async finish(server: ServerProcess): Promise<void> {
      await submissions.finish(server);
      await triggerEvents.finish(server);
    },
  };
}

/** Records that a trigger fired in its own session. @returns the session */
async function recordEvent(
  server: Server,
  { agentId, triggerId, key }: { agentId: string; triggerId: string; key: string },
): Promise<string> {
  const response = await fetch(`${server.url}/triggers/event`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({
      agentId,
      triggerId,
      triggerName: "Welcome",
      triggerType: "time_on_page",
      actionType: "show_bubble",
      eventType: "fired",
      sessionId: key,
      pagePath: "/pricing",
    }),
  });
  const answer = await response.text();
  if (isBusy(response.status)) return wait(PAUSE_MS).then(() => recordEvent(server, { agentId, triggerId, key }));
  if (response.status !== 200) throw new Error(`recording an event: ${response.status} ${answer}`);
  return key;
}

type Read = { agentId: string; toolId: string; latest: () => string | undefined };

/** Opens one page of the dashboard after another. */
async function readDashboard(
  serverProcess: ServerProcess,
  { agentId, toolId, latest }: Read,
  signal: AbortSignal,
): Promise<void> {
  const lists = [
    `/conversations?agentId=${agentId}&limit=20`,
    `/form-submissions?toolId=${toolId}&limit=20`,
    "/agents",
  ];
  const figures = [`/triggers/stats?agentId=${agentId}`, `/conversations?agentId=${agentId}&q=word&limit=20`];
  for (let read = 0; !signal.aborted; read++) {
    const conversationId = latest();
    const paths = [...lists, ...figures, ...(conversationId ? [`/conversations/${conversationId}`] : [])];
    try {
      await call(serverProcess, "GET", paths[read % paths.length] ?? "/agents");
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
    await wait(PAUSE_MS);
  }
}
