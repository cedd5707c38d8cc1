import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { startVisit } from "../../../../test/visit.ts";
import { createLinkToken, createRatingToken } from "../auth/conversation-token.ts";

const DAY_MS = 86_400_000;

describe("the page of an emailed link that asks for a rating", () => {
  let upstream: Upstream;
  let server: TestServer;
  let owner: Awaited<ReturnType<typeof signedInBrowser>>;
  let agentId: string;

  beforeAll(async () => {
    upstream = await startUpstream();
    const env = {
      OPENAI_COMPATIBLE_BASE_URL: upstream.url,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_LIMIT_RATING_PER_IP: "3",
    };
    server = await startServer({ env });
    owner = await signedInBrowser(server, (await createOwner(server)).email);
    agentId = await createAgent(owner, { name: "Harbour <Bikes>", handoff: { isEnabled: true }, askRating: "all" });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
  });

  const tokenOf = (id: string, age = 0) =>
    createRatingToken(server.deps.encryption, { id, linkVersion: 0 }, Date.now() - age);

  async function open(id: string, query: Record<string, string>, options: { ip?: string; headers?: object } = {}) {
    return server.app.inject({
      url: `/rate/${id}?${new URLSearchParams(query)}`,
      headers: { ...options.headers },
      remoteAddress: options.ip ?? "127.0.0.1",
    });
  }

  function send(id: string, token: string, form: Record<string, string> | string) {
    return server.app.inject({
      method: "POST",
      url: `/rate/${id}?${new URLSearchParams({ token })}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: String(typeof form === "string" ? form : new URLSearchParams(form)),
    });
  }

  /** A conversation that has ended, and the token of its link. */
  async function ended() {
    upstream.script(sayWords("Hello."));
    const { id } = await startVisit(server, agentId);
    await owner.call("POST", `/conversations/${id}/resolve`);
    const rating = async () => (await owner.call("GET", `/conversations/${id}`)).body.data.rating;
    const age = (ms: number) =>
      server.deps.db
        .updateTable("conversations")
        .set((x) => ({ ratingAskedAt: x("ratingAskedAt", "-", ms), ratedAt: x("ratedAt", "-", ms) }))
        .where("id", "=", id)
        .execute();
    return { id, token: tokenOf(id), rating, age };
  }

  it("preselects the chosen number and changes nothing", async () => {
    const { id, token, rating } = await ended();
    const response = await open(id, { token, score: "4" });
    expect(response.statusCode).toBe(200);
    expect(response.body).toMatch(/value="4"[^>]* checked/);
    expect(response.body.match(/ checked/g)).toHaveLength(1);
    expect((await server.app.inject({ method: "HEAD", url: `/rate/${id}?token=${token}&score=4` })).statusCode).toBe(
      200,
    );
    expect(await rating()).toBeNull();
  });

  it("runs no script, is shown in no frame and is not indexed", async () => {
    const { id, token } = await ended();
    const { headers, body } = await open(id, { token });
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect([headers["x-robots-tag"], headers["cache-control"]]).toEqual(["noindex", "no-store"]);
    expect(body).not.toContain("<script");
    expect(body).toContain("Harbour &lt;Bikes&gt;");
  });

  it("stores the rating, once for two simultaneous clicks, and shows it", async () => {
    const { id, token, rating } = await ended();
    const form = { score: "5", comment: " Quick\r\nand kind " };
    const [first, second] = await Promise.all([send(id, token, form), send(id, token, form)]);
    expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
    expect(first.body).toContain("Your rating: 5 of 5 (Very good)");
    expect(await rating()).toMatchObject({ score: 5, comment: "Quick\nand kind" });
    const row = server.deps.db.selectFrom("conversations").select("ratingCorrections").where("id", "=", id);
    expect(await row.executeTakeFirstOrThrow()).toEqual({ ratingCorrections: 0 });
    const again = await open(id, { token });
    expect(again.body).toMatch(/value="5"[^>]* checked/);
    expect(again.body).toContain("Quick\nand kind</textarea>");
  });

  it.each([
    { form: {}, problem: "Choose a number from 1 to 5." },
    { form: { score: "6" }, problem: "Choose a number from 1 to 5." },
    { form: { score: "1e0" }, problem: "Choose a number from 1 to 5." },
    { form: "score=%FF&score", problem: "Choose a number from 1 to 5." },
    { form: { score: "4", comment: "x".repeat(2_001) }, problem: "The reason can have up to 2000 characters." },
  ])("says what is wrong with $form", async ({ form, problem }) => {
    const { id, token, rating } = await ended();
    const response = await send(id, token, form as Record<string, string>);
    expect([response.statusCode, response.body]).toEqual([400, expect.stringContaining(problem)]);
    expect(await rating()).toBeNull();
  });

  it("keeps what was typed when the form is refused", async () => {
    const { id, token } = await ended();
    const { body } = await send(id, token, { comment: "</textarea><script>" });
    expect(body).toContain("&lt;/textarea&gt;&lt;script&gt;</textarea>");
  });

  it("says that the rating can no longer be changed", async () => {
    const { id, token, rating, age } = await ended();
    await send(id, token, { score: "2" });
    await age(DAY_MS);
    for (const response of [await open(id, { token }), await send(id, token, { score: "5" })]) {
      expect([response.statusCode, response.body]).toEqual([409, expect.stringContaining("2 of 5 (Bad)")]);
    }
    expect(await rating()).toMatchObject({ score: 2 });
  });

  it("says that the question has expired", async () => {
    const { id, token, age } = await ended();
    await age(30 * DAY_MS);
    expect((await open(id, { token })).body).toContain("This link has expired");
    expect((await send(id, token, { score: "5" })).statusCode).toBe(410);
  });

  it("says that a link has expired", async () => {
    const { id } = await ended();
    const response = await open(id, { token: tokenOf(id, 31 * DAY_MS) });
    expect([response.statusCode, response.body]).toEqual([410, expect.stringContaining("This link has expired")]);
  });

  it("refuses links of other conversations, of other kinds, revoked ones, and what is no link", async () => {
    const [{ id, token, rating }, other] = [await ended(), await ended()];
    const conversationLink = createLinkToken(server.deps.encryption, { id, linkVersion: 0 });
    for (const wrong of [other.token, conversationLink, `${token}x`, "", "frt_"]) {
      const response = await send(id, wrong, { score: "1" });
      expect([response.statusCode, response.body]).toEqual([404, expect.stringContaining("This link doesn’t work")]);
    }
    await owner.call("POST", `/conversations/${id}/revoke-links`);
    expect((await send(id, token, { score: "1" })).statusCode).toBe(404);
    expect((await open("conv_x", { token })).statusCode).toBe(404);
    expect(await rating()).toBeNull();
  });

  it("refuses the link of a conversation that is in the trash or was deleted", async () => {
    const { id, token } = await ended();
    await owner.call("POST", `/conversations/${id}/trash`);
    expect((await open(id, { token })).statusCode).toBe(404);
    await owner.call("DELETE", `/conversations/${id}`);
    expect((await send(id, token, { score: "1" })).statusCode).toBe(404);
  });

  it("is in the language of the conversation, and in that of the browser without one", async () => {
    const { id, token } = await ended();
    const context = JSON.stringify({ language: "ar" });
    await server.deps.db.updateTable("conversations").set({ context }).where("id", "=", id).execute();
    expect((await open(id, { token })).body).toContain('<html lang="ar" dir="rtl">');
    const headers = { "accept-language": "de-CH,de;q=0.9" };
    expect((await open(id, { token: "" }, { headers })).body).toContain("Dieser Link funktioniert nicht");
  });

  it("asks the agent's own question", async () => {
    const { id, token } = await ended();
    await owner.call("PATCH", `/agents/${agentId}`, { ratingQuestion: "Did we help?" });
    expect((await open(id, { token })).body).toContain("Did we help?</h1>");
    await owner.call("PATCH", `/agents/${agentId}`, { ratingQuestion: null });
  });

  it("refuses a form that is too large", async () => {
    const { id, token, rating } = await ended();
    expect((await send(id, token, { score: "1", comment: "x".repeat(40_000) })).statusCode).toBe(413);
    expect(await rating()).toBeNull();
  });

  it("limits the requests of an address, and says so on a page", async () => {
    const { id, token } = await ended();
    const ip = "203.0.113.7";
    const statuses: number[] = [];
    for (let time = 0; time < 4; time++) statuses.push((await open(id, { token }, { ip })).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const { headers, body } = await open(id, { token }, { ip });
    expect([Number(headers["retry-after"]) > 0, body]).toEqual([true, expect.stringContaining("Too many requests")]);
  });
});
