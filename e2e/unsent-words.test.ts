import { sql } from "kysely";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMember, signedInBrowser } from "../test/session-client.ts";
import { sayWords } from "../test/upstream.ts";
import { openChat, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

/** `npm run test:words` tries 1,000 interleavings. A seed repeats a run. */
const ROUNDS = Number(process.env.FOYER_WORD_ROUNDS ?? 24);
const SEED = Number(process.env.FOYER_WORD_SEED ?? 20261128);

const NOWHERE = "nowhere";

/** The numbers of a seed, from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("what a visitor has written", () => {
  let site: WidgetSite;
  beforeAll(async () => {
    site = await startWidgetSite({
      env: { FOYER_LIMIT_ATTACHMENTS_PER_VISITOR: "0", FOYER_LIMIT_ATTACHMENTS_PER_IP: "0" },
    });
  });
  beforeEach(() => site.upstream.script(sayWords("We open at nine.")));
  afterAll(() => site.stop());

  it(
    `is never lost in ${ROUNDS} random orders of sending, reloading, lost connections, refused files, deleted conversations, takeovers and second tabs`,
    async () => {
      const agent = { handoff: { isEnabled: true }, attachments: { files: true } };
      const { page, agentId } = await site.visit(agent);
      await rememberArrivals(site);
      await openChat(page);
      const { email } = await createMember(site.server, site.owner.organizationId, "admin");
      const run = createRun(site, { page, agentId, member: await signedInBrowser(site.server, email) });
      const random = createRandom(SEED);
      const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
      const lost: string[] = [];
      /** The words that the test has not cleared from the field, with their round. */
      const sent = new Map<string, string>();
      for (let round = 1; round <= ROUNDS; round++) {
        const words = `message number ${round} of the visitor`;
        const before = pick(run.before);
        const way = pick(run.ways);
        const after = pick(run.after);
        await before.run();
        await way.run(words);
        await after.run();
        const order = `${round}: ${before.name}, ${way.name}, ${after.name}`;
        const place = await run.locate(words);
        if (place === NOWHERE) lost.push(order);
        else sent.set(words, `${order} (was ${place})`);
        const cleared = await run.settle();
        for (const one of sent.keys()) if (cleared.includes(one)) sent.delete(one);
      }
      // Words that were still in the field, or waited, at the end of their round may have been sent in the meantime.
      for (const [words, order] of sent) if ((await run.locate(words)) === NOWHERE) lost.push(order);
      expect(lost).toEqual([]);
    },
    ROUNDS * 60_000,
  );

  it("is in the field again after a reload of a page whose script has opened the chat", async () => {
    const { page } = await site.visit();
    await openByScript(page);
    await page.locator(".panel textarea").fill("Do you rent bikes?");
    await page.reload();
    await openByScript(page);
    expect(await page.locator(".panel textarea").inputValue()).toBe("Do you rent bikes?");
  });
});

/** Keeps the words of every stored message, and its conversation, even when the team deletes that conversation. */
async function rememberArrivals({ server }: WidgetSite): Promise<void> {
  const { db } = server.deps;
  await sql`CREATE TABLE arrived (words text, place text)`.execute(db);
  await sql`CREATE TRIGGER remember_arrival AFTER INSERT ON messages
    BEGIN INSERT INTO arrived VALUES (new.content, new."conversationId"); END`.execute(db);
}

/** Opens the chat as a script of the page does, which is no interaction of the visitor. */
async function openByScript(page: Page): Promise<void> {
  await page.locator(".launcher").waitFor();
  await page.evaluate(() => Reflect.get(window, "Foyer").open());
  await page.locator(".panel textarea").waitFor();
}

type Step = { name: string; run: () => Promise<void> };
type Way = { name: string; run: (words: string) => Promise<void> };

type Visit = { page: Page; agentId: string; member: Awaited<ReturnType<typeof signedInBrowser>> };

function createRun({ server }: WidgetSite, { page, agentId, member }: Visit) {
  const { db } = server.deps;
  const context = page.context();
  const field = page.locator(".panel textarea");
  const file = { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("City bike, 580 euros") };

  async function newest(): Promise<{ id: string } | undefined> {
    const { body } = await member.call("GET", `/conversations?agentId=${agentId}&limit=1`);
    return body.data[0];
  }
  /** The conversations that the team has deleted. */
  const deleted: string[] = [];
  const onNewest = async (method: "POST" | "DELETE", path: string, payload?: object) => {
    const conversation = await newest();
    if (method === "DELETE" && conversation) deleted.push(conversation.id);
    if (conversation) await member.call(method, `/conversations/${conversation.id}${path}`, payload);
  };
  const reload = async () => {
    await page.reload();
    await openByScript(page);
  };
  const write = async (words: string) => {
    // The conversation may still be loading, and a reply may be running.
    await field.fill(words);
    await field.press("Enter");
  };
  const steps = (list: Record<string, () => Promise<void>>): Step[] =>
    Object.entries(list).map(([name, run]) => ({ name, run }));

  const before = steps({
    nothing: async () => {},
    "a deleted conversation": () => onNewest("DELETE", ""),
    "a conversation in the trash": () => onNewest("POST", "/trash"),
    "a takeover": () => onNewest("POST", "/takeover", {}),
    "a reload": reload,
    "a second tab": async () => {
      const other = await context.newPage();
      await other.goto(page.url());
      await openByScript(other);
      await other.locator(".panel textarea").fill("from the other tab");
      await other.locator(".panel textarea").press("Enter");
      await other.close();
    },
  });
  const ways: Way[] = [
    { name: "sent", run: write },
    { name: "typed", run: (words) => field.fill(words) },
    {
      name: "sent while the connection is lost",
      run: async (words) => {
        await context.setOffline(true);
        await write(words);
        await context.setOffline(false);
      },
    },
    {
      name: "sent without a response",
      run: async (words) => {
        await page.route(/\/chat$/, (route) => route.abort("connectionreset"));
        await write(words);
        await page.unroute(/\/chat$/);
      },
    },
    {
      name: "sent while the conversation loads",
      run: async (words) => {
        await page.route(/\/conversations\/conv_[^/]+$/, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          await route.continue().catch(() => {});
        });
        await reload();
        await write(words);
        await page.unroute(/\/conversations\/conv_[^/]+$/);
      },
    },
    {
      name: "sent with a file that the server has deleted",
      run: async (words) => {
        await field.fill(words);
        if ((await page.locator(".panel .attach").count()) > 0) {
          await page.locator(".panel input[type=file]").first().setInputFiles(file);
          await expect.poll(() => page.locator(".draft progress").count()).toBe(0);
          await db.deleteFrom("attachments").where("messageId", "is", null).execute();
        }
        await field.press("Enter");
      },
    },
  ];
  const after = steps({
    nothing: async () => {},
    "a reload": reload,
    "a takeover": () => onNewest("POST", "/takeover", {}),
    "a deleted conversation": () => onNewest("DELETE", ""),
  });
  /** Where the words are: in the field, in the conversation with the reason why they wait, or on the server. */
  async function find(words: string): Promise<string> {
    const rows = await db.selectFrom("messages").select("id").where("content", "=", words).execute();
    if (rows.length > 0) return "stored";
    const arrived = await sql<{ place: string }>`SELECT place FROM arrived WHERE words = ${words}`.execute(db);
    if (arrived.rows.some(({ place }) => deleted.includes(place))) return "deleted with its conversation";
    if ((await field.inputValue()).includes(words)) return "in the field";
    const waiting = page.locator(".user", { hasText: words }).filter({ hasText: "Not sent" });
    return (await waiting.count()) > 0 ? "waiting" : NOWHERE;
  }

  return {
    before,
    ways,
    after,
    /** Waits for a message that is on its way, which is nowhere yet. */
    async locate(words: string): Promise<string> {
      let place = NOWHERE;
      const look = async () => {
        place = await find(words);
        return place;
      };
      await expect
        .poll(look, { timeout: 20_000 })
        .not.toBe(NOWHERE)
        .catch(() => {});
      return place;
    },
    /** Ends what the round has left behind. @returns the words in the field, which it clears */
    async settle(): Promise<string> {
      await onNewest("POST", "/return", {});
      await page.locator(".panel .send").waitFor();
      const left = await field.inputValue();
      await field.fill("");
      const remove = page.locator(".draft .icon-button");
      while ((await remove.count()) > 0)
        await remove
          .first()
          .click({ timeout: 2_000 })
          .catch(() => {});
      return left;
    },
  };
}
