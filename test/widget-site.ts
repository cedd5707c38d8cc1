import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { startBrowser } from "./browser.ts";
import { startOwnServer } from "./dashboard-site.ts";
import type { TestDatabase } from "./databases.ts";
import { createAgent } from "./factories.ts";
import { startHostPage } from "./host-page.ts";
import { chunk, eventStream, startUpstream } from "./upstream.ts";

/** The folder for screenshots. Without it, no screenshots are taken, because each takes a fifth of a second. */
const pictures = process.env.FOYER_SCREENSHOTS;

export type WidgetSite = Awaited<ReturnType<typeof startWidgetSite>>;

/**
 * A site that uses the widget of a real server on another origin, in a real browser, with a scripted model behind it.
 * Without `database`, the server gets its own, which works only within a test. `env` adds environment variables.
 */
export async function startWidgetSite({
  database,
  env = {},
}: {
  database?: TestDatabase;
  env?: Record<string, string>;
} = {}) {
  const browser = await startBrowser();
  const upstream = await startUpstream();
  const server = await startOwnServer({
    ...(database ? { database } : {}),
    env: {
      OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_LIMIT_CHAT_PER_SESSION: "0",
      ...env,
    },
  });
  const owner = await server.createAccount();
  const host = await startHostPage(server.url);

  return {
    browser,
    upstream,
    server,
    owner,
    host,
    createAgent: (settings?: object) => createAgent(owner, settings),
    /** Opens a page of the site with the closed widget of a new agent. Attributes go on the script tag. */
    async visit(
      agent: object = {},
      options: { attributes?: Record<string, string>; path?: string; context?: BrowserContextOptions } = {},
    ) {
      const agentId = await createAgent(owner, agent);
      const opened = await browser.openWarm(options.context);
      const attributes = { "data-agent-id": agentId, ...options.attributes };
      await opened.page.goto(host.page(options.path ?? "/", attributes));
      await opened.page.locator(".launcher").waitFor();
      return { ...opened, agentId };
    },
    async addTool(agentId: string, name: string, response: unknown, displayConfig: object, more: object = {}) {
      const answer = await owner.call("POST", "/tools", {
        agentId,
        name,
        description: `What ${name} does`,
        executionType: "mock",
        displayConfig,
        inputSchema: { type: "object", properties: {} },
        mockResponse: JSON.stringify(response),
        ...more,
      });
      if (answer.status !== 201) throw new Error(`no tool: ${JSON.stringify(answer.body)}`);
    },
    /** The model first calls these tools and then streams the words. */
    callTools(names: string[], words: string) {
      upstream.script((exchange) => {
        const { send, end } = eventStream(exchange);
        const isFirst = upstream.exchanges.length === 1;
        names.forEach((name, index) => {
          const call = { index, id: `call_${index}`, function: { name, arguments: "{}" } };
          if (isFirst) send(chunk({ tool_calls: [call] }));
        });
        if (!isFirst) send(chunk({ content: words }));
        send(chunk({}, isFirst ? "tool_calls" : "stop"));
        send("[DONE]");
        end();
      });
    },
    /** A reply whose words are sent when the test releases them. */
    slowReply() {
      const started = Promise.withResolvers<ReturnType<typeof eventStream>>();
      upstream.script((exchange) => started.resolve(eventStream(exchange)));
      return {
        say: async (content: string) => (await started.promise).send(chunk({ content })),
        async end() {
          const { send, end } = await started.promise;
          send(chunk({}, "stop"));
          send("[DONE]");
          end();
        },
      };
    },
    async picture(page: Page, name: string): Promise<void> {
      if (!pictures) return;
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    },
    async stop() {
      await browser.close();
      await host.stop();
      await server.stop();
      await upstream.stop();
    },
  };
}

export async function openChat(page: Page): Promise<void> {
  await page.locator(".launcher").click();
  await page.locator(".panel").waitFor();
}

/** Resolves when the message is displayed and its reply has started. */
export async function ask(page: Page, text: string): Promise<void> {
  const before = await page.locator(".user").count();
  await page.locator(".panel textarea").fill(text);
  await page.keyboard.press("Enter");
  await page.locator(".user").nth(before).waitFor();
}

/** Resolves when no reply is running. */
export const replyOver = (page: Page) => page.locator(".panel .send").waitFor();
