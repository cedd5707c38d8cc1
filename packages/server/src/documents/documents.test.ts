import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { type DocumentClient, openDocuments } from "../../../../test/document-client.ts";
import { createAgent } from "../../../../test/factories.ts";

const prices = {
  kind: "text",
  title: "Rental prices",
  text: "# City bikes\n\nA city bike costs 20 € a day.\n\nHelmets are free.",
};
const faq = {
  kind: "faq",
  question: "Do you rent bikes?",
  otherWordings: ["Can I hire a bike?"],
  answer: "Yes, every day.",
};

onBothDatabases("the documents API", (createDatabase) => {
  let database: TestDatabase;
  let client: DocumentClient;
  beforeAll(async () => {
    database = await createDatabase();
    client = await openDocuments({ database });
  });
  afterAll(async () => {
    await client.server.stop();
    await database.drop();
  });
  const call = (...input: Parameters<DocumentClient["account"]["call"]>) => client.account.call(...input);
  const put = (id: string, body: object) => call("PUT", `/documents/${id}`, body);
  const unique = (() => {
    let count = 0;
    return (title = "Note") => ({ kind: "text", title, text: `Text ${++count} of the tests.` });
  })();

  it("processes a text and shows its text and chunks", async () => {
    const { status, body } = await client.create(prices);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^doc_/),
      agentId: client.agentId,
      kind: "text",
      title: "Rental prices",
      url: null,
      externalKey: null,
      state: "queued",
      stage: null,
      progress: { done: 0, total: 0 },
      error: null,
      chunks: 0,
      isEnabled: true,
      citation: "link",
      sourceId: null,
      readyAt: null,
    });
    const ready = await client.settled(body.id);
    expect(ready).toMatchObject({ state: "ready", chunks: 1, stage: null, mimeType: "text/markdown", faq: null });
    const text = "# City bikes\n\nA city bike costs 20 € a day.\n\nHelmets are free.";
    const { characters } = ready;
    expect((await call("GET", `/documents/${body.id}/text`)).body).toEqual({
      text,
      offset: 0,
      nextOffset: null,
      characters,
    });
    expect((await call("GET", `/documents/${body.id}/text?offset=2&limit=4`)).body).toEqual({
      text: "City",
      offset: 2,
      nextOffset: 6,
      characters,
    });
    expect((await call("GET", `/documents/${body.id}/text?offset=2147483647`)).body).toEqual({
      text: "",
      offset: 2_147_483_647,
      nextOffset: null,
      characters,
    });
    expect((await call("GET", `/documents/${body.id}/chunks`)).body).toEqual({
      chunks: [
        { ordinal: 0, heading: "City bikes", page: null, text: "A city bike costs 20 € a day.\nHelmets are free." },
      ],
      pagination: { total: 1, limit: 50, offset: 0 },
    });
  });

  it("says at the document what was left out of the version that the agent uses", async () => {
    const headers = { "content-type": "message/rfc822" };
    const email = (rest: string) => Buffer.from(`From: a@example.com\nSubject: Offer\n${rest}`);
    const attachment = 'Content-Disposition: attachment; filename="prices.zip"\n\nx';
    const body = `Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below.\n--b\n${attachment}\n--b--`;
    const { body: uploaded } = await client.upload(email(body), "offer.eml", "&externalKey=offer", headers);
    expect((await client.settled(uploaded.id)).warnings).toEqual([
      { code: "ATTACHMENTS_LEFT_OUT", count: 1, message: expect.stringContaining("(prices.zip)") },
    ]);
    await client.upload(email("\nNo attachment."), "offer.eml", "&externalKey=offer", headers);
    expect((await client.settled(uploaded.id)).warnings).toEqual([]);
  });

  it("responds 200 with the existing document when its content already exists", async () => {
    const input = unique();
    const first = await client.create(input);
    const second = await client.create(input);
    expect([first.status, second.status, second.body.id]).toEqual([202, 200, first.body.id]);
    const upload = () => client.upload("The same bytes again.", "a.txt");
    const [one, two] = [await upload(), await upload()];
    expect([one.status, two.status, two.body.id]).toEqual([202, 200, one.body.id]);
  });

  it("reads the same bytes again when an upload names their encoding", async () => {
    const bytes = Buffer.from("8ea9935d8ed4", "hex");
    const upload = (contentType: string) =>
      client.upload(bytes, "bicycle.txt", "&externalKey=encoded", { "content-type": contentType });
    const { id } = (await upload("text/plain")).body;
    await client.settled(id);
    expect(await upload("text/plain; charset=Shift_JIS")).toMatchObject({ status: 202, body: { id } });
    await client.settled(id);
    expect(await client.textOf(id)).toBe("自転車");
    expect((await upload('text/plain; charset="shift_jis"')).status).toBe(200);
  });

  it("keeps the parts of an FAQ entry and replaces those that change", async () => {
    const { body } = await client.create(faq);
    await client.settled(body.id);
    expect((await client.get(body.id)).faq).toEqual({
      question: faq.question,
      otherWordings: faq.otherWordings,
      answer: faq.answer,
    });
    const changed = await put(body.id, { answer: "Only on Mondays." });
    expect([changed.status, changed.body.state]).toEqual([202, "queued"]);
    expect(await client.settled(body.id)).toMatchObject({
      state: "ready",
      title: faq.question,
      faq: { otherWordings: faq.otherWordings, answer: "Only on Mondays." },
    });
    expect(await client.textOf(body.id)).toBe("Do you rent bikes?\nCan I hire a bike?\n\nOnly on Mondays.");
  });

  it("finds documents, and none that were disabled or deleted", async () => {
    const { body } = await client.create({
      kind: "text",
      title: "Harbour tour",
      text: "The zeppelin departs at noon.",
    });
    await client.settled(body.id);
    const hits = async () => {
      const search = { agentId: client.agentId, query: "zeppelin" };
      return (await call("POST", "/documents/search", search)).body.hits.map(
        (hit: { documentId: string }) => hit.documentId,
      );
    };
    expect(await hits()).toEqual([body.id]);
    await put(body.id, { isEnabled: false });
    expect(await hits()).toEqual([]);
    // New content of a disabled document stays hidden.
    await put(body.id, { text: "The zeppelin departs at one." });
    await client.settled(body.id);
    expect(await hits()).toEqual([]);
    await put(body.id, { isEnabled: true });
    expect(await hits()).toEqual([body.id]);
    expect((await call("DELETE", `/documents/${body.id}`)).body).toEqual({ success: true });
    expect(await hits()).toEqual([]);
    expect((await call("GET", `/documents/${body.id}`)).status).toBe(404);
  });

  it("changes settings without processing the document again", async () => {
    const { body } = await client.create(unique());
    const { readyAt } = await client.settled(body.id);
    const saved = await put(body.id, { citation: "hidden", title: body.title });
    expect(saved).toMatchObject({ status: 200, body: { citation: "hidden", state: "ready", readyAt } });
    expect((await put(body.id, { citation: null })).body.citation).toBe("link");
    const renamed = await put(body.id, { title: "Another title" });
    expect([renamed.status, renamed.body.title]).toEqual([202, "Another title"]);
  });

  it("responds 409 to content that another document already has", async () => {
    const [one, two] = [unique("Same"), unique("Same")];
    await client.create(one);
    const { body } = await client.create(two);
    expect(await put(body.id, { text: one.text })).toMatchObject({
      status: 409,
      body: { error: { code: "CONFLICT" } },
    });
  });

  it("creates and replaces a document by its external key", async () => {
    const byKey = (body: object) => call("PUT", "/documents/by-key/shop%2F42", { agentId: client.agentId, ...body });
    const first = await byKey({ kind: "text", title: "Offer", text: "Ten percent off." });
    expect(first).toMatchObject({ status: 202, body: { externalKey: "shop/42" } });
    const { id } = first.body;
    await client.settled(id);
    expect(await byKey({ kind: "text", title: "Offer", text: "Ten percent off." })).toMatchObject({
      status: 200,
      body: { id, state: "ready" },
    });
    expect(await byKey({ kind: "faq", question: "Any offers?", answer: "Twenty percent." })).toMatchObject({
      status: 202,
      body: { id, kind: "faq", title: "Any offers?" },
    });
    const upload = await client.upload("As a file.", "offer.txt", "&externalKey=shop/42");
    expect(upload).toMatchObject({ status: 202, body: { id, kind: "file", title: "offer.txt" } });
    await client.settled(id);
    expect(await client.textOf(id)).toBe("As a file.");
    expect((await client.upload("As a file.", "offer.txt", "&externalKey=shop/42")).status).toBe(200);
  });

  it("returns the original file of a document", async () => {
    const { body } = await client.upload("Name;Price\n", "../../etc/prices\r\n \u202e.txt");
    const response = await client.server.app.inject({
      url: `/documents/${body.id}/file`,
      headers: client.account.headers,
    });
    expect(response.body).toBe("Name;Price\n");
    expect(response.headers["content-disposition"]).toBe("attachment; filename*=UTF-8''prices%20%20.txt");
    expect(response.headers["x-content-type-options"]).toBe("nosniff");
    expect(body.title).toBe("prices  .txt");
  });

  it("keeps citing the previous version under its title while a replacement is processed and after it failed", async () => {
    const byKey = "&externalKey=prices";
    const { body } = await client.upload("A tandem costs 40 euros a day.", "Prices 2025.txt", byKey);
    await client.settled(body.id);
    const damaged = Buffer.from([0, 1, 2, 3, 0, 255]);
    expect(await client.upload(damaged, "Prices 2026.bin", byKey)).toMatchObject({
      body: { title: "Prices 2026.bin" },
    });
    expect(await client.settled(body.id)).toMatchObject({ state: "failed", title: "Prices 2025.txt" });
    const search = { agentId: client.agentId, query: "What does a tandem cost?" };
    const { hits } = (await client.account.call("POST", "/documents/search", search)).body;
    const found = hits.find(({ documentId }: { documentId: string }) => documentId === body.id);
    expect(found).toMatchObject({ title: "Prices 2025.txt" });
    expect(await client.upload("A tandem costs 45 euros a day.", "Prices 2026.txt", byKey)).toMatchObject({
      status: 202,
    });
    expect(await client.settled(body.id)).toMatchObject({ state: "ready", title: "Prices 2026.txt" });
  });

  it("lists by agent, state, kind and text, newest first and in pages", async () => {
    const agentId = await createAgent(client.account);
    const ids: string[] = [];
    for (const title of ["Opening hours", "Prices", "Opening party"]) {
      ids.unshift((await call("POST", "/documents", { agentId, kind: "text", title, text: title })).body.id);
    }
    for (const id of ids) await client.settled(id);
    const list = async (query: string) => {
      const { body } = await call("GET", `/documents?agentId=${agentId}${query}`);
      return { ids: body.documents.map(({ id }: { id: string }) => id), total: body.pagination.total };
    };
    expect(await list("")).toEqual({ ids, total: 3 });
    expect(await list("&limit=1&offset=1")).toEqual({ ids: [ids[1]], total: 3 });
    expect(await list("&q=opening")).toEqual({ ids: [ids[0], ids[2]], total: 2 });
    expect(await list("&q=%25")).toEqual({ ids: [], total: 0 });
    expect(await list("&state=ready&kind=text")).toEqual({ ids, total: 3 });
    expect(await list("&state=failed")).toEqual({ ids: [], total: 0 });
  });

  it("applies bulk actions to those of the documents that exist", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 25; count++) ids.push((await client.create(unique())).body.id);
    for (const id of ids) await client.settled(id);
    const bulk = async (action: string) =>
      (await call("POST", "/documents/bulk", { ids: [...ids, "doc_x"], action })).body;
    expect(await bulk("disable")).toEqual({ changed: 25 });
    expect((await client.get(ids[24] ?? "")).isEnabled).toBe(false);
    expect(await bulk("enable")).toEqual({ changed: 25 });
    expect(await bulk("retry")).toEqual({ changed: 25 });
    for (const id of ids) expect(await client.settled(id)).toMatchObject({ state: "ready", isEnabled: true });
    expect(await bulk("delete")).toEqual({ changed: 25 });
    expect(await bulk("delete")).toEqual({ changed: 0 });
  });

  it("counts documents against the plan, even when they arrive at the same time", async () => {
    const account = await client.server.createAccount("free");
    const agentId = await createAgent(account);
    const add = (text: string) => account.call("POST", "/documents", { agentId, kind: "text", title: "T", text });
    const added = await Promise.all(Array.from({ length: 25 }, (_, index) => add(`Text ${index}`)));
    expect(added.filter(({ status }) => status === 202)).toHaveLength(20);
    expect(added.find(({ status }) => status !== 202)).toMatchObject({
      status: 403,
      body: { error: { code: "DOCUMENT_LIMIT_REACHED" } },
    });
    expect((await account.call("GET", `/documents/limits?agentId=${agentId}`)).body).toEqual({
      current: 20,
      limit: 20,
      planId: "free",
      canCreate: false,
      maxFileBytes: 25 * 1024 * 1024,
      maxPages: 2_000,
      maxCharacters: 10_500_000,
    });
  });

  it("searches a filled index for odd text and for the longest query without failing", async () => {
    const { body } = await client.create({ kind: "text", title: "Trams", text: "The tram stops at the harbour." });
    await client.settled(body.id);
    const odd = ["\ud800", "\udc00x", "\uffff\ufffe", "\u202e\u200b", "' OR 1=1 --", 'a" AND (b* NEAR', "{{y}}\\"];
    for (const query of [...odd, "x".repeat(1_000), "🚲".repeat(1_000), "字".repeat(1_000)]) {
      const { status } = await call("POST", "/documents/search", { agentId: client.agentId, query });
      expect(status, query.slice(0, 20)).toBe(200);
    }
  });

  it("creates one document for repeated requests with an Idempotency-Key", async () => {
    const headers = { ...client.account.headers, "idempotency-key": "once" };
    const payload = { agentId: client.agentId, ...unique() };
    const create = () => client.server.app.inject({ method: "POST", url: "/documents", headers, payload });
    const [one, two] = [await create(), await create()];
    expect([one.statusCode, two.statusCode, two.json().id]).toEqual([202, 202, one.json().id]);
    expect(two.headers["idempotent-replay"]).toBe("true");
    const upload = () => client.upload("An upload with a key", "key.txt", "", { "idempotency-key": "upload" });
    const [first, again] = [await upload(), await upload()];
    expect([first.status, again.status, again.body.id]).toEqual([202, 202, first.body.id]);
    expect((await client.upload("Other bytes", "key.txt", "", { "idempotency-key": "upload" })).status).toBe(409);
  });

  it("repeats the response to an Idempotency-Key when the content existed already and was deleted afterwards", async () => {
    const { headers } = client.account;
    const input = { agentId: client.agentId, ...unique() };
    const { body } = await client.create(input);
    const create = (payload: object) =>
      client.server.app.inject({
        method: "POST",
        url: "/documents",
        headers: { ...headers, "idempotency-key": "twin" },
        payload,
      });
    const first = await create(input);
    expect([first.statusCode, first.json().id]).toEqual([200, body.id]);
    expect((await create({ ...input, title: "Another" })).statusCode).toBe(409);
    await call("DELETE", `/documents/${body.id}`);
    const again = await create(input);
    expect([again.statusCode, again.json()]).toEqual([200, first.json()]);
  });

  it("keeps only the newest version of a document with hundreds of passages, and none that a killed process left", async () => {
    const { db } = client.server.deps;
    const long = (word: string) => `${word} wheels and spokes and chains. `.repeat(5_000);
    const query = "&externalKey=hundreds";
    const { body } = await client.upload(long("First"), "long.txt", query);
    expect((await client.settled(body.id)).chunks).toBeGreaterThan(100);
    const scope = { organizationId: client.account.organizationId, agentId: client.agentId, documentId: body.id };
    const rest = { ordinal: 3, heading: null, page: null, question: null, text: "Left by a killed process" };
    await db
      .insertInto("documentChunks")
      .values({ ...scope, ...rest, version: 2, number: 9_000_000 })
      .execute();
    await client.upload(long("Second"), "long.txt", query);
    const { chunks } = await client.settled(body.id);
    const stored = () =>
      db.selectFrom("documentChunks").select(["version", "text"]).where("documentId", "=", body.id).execute();
    // The passages of the old version are deleted once the new one is visible.
    await expect.poll(async () => (await stored()).length).toBe(chunks);
    const rows = await stored();
    expect(rows.every(({ version, text }) => version === 2 && text.startsWith("Second"))).toBe(true);
    expect((await call("GET", `/documents/${body.id}/chunks?limit=1`)).body.pagination.total).toBe(chunks);
  });

  it("repeats the response to an Idempotency-Key for an upload by key that changed nothing", async () => {
    const query = "&externalKey=same-bytes";
    const first = await client.upload("The same bytes", "a.txt", query);
    await client.settled(first.body.id);
    const upload = (content: string) => client.upload(content, "a.txt", query, { "idempotency-key": "unchanged" });
    const unchanged = await upload("The same bytes");
    expect([unchanged.status, unchanged.body.id]).toEqual([200, first.body.id]);
    await call("DELETE", `/documents/${first.body.id}`);
    const again = await upload("The same bytes");
    expect([again.status, again.body]).toEqual([200, unchanged.body]);
    expect(again.headers["idempotent-replay"]).toBe("true");
    expect((await upload("Other bytes")).status).toBe(409);
  });

  it("deletes all documents of an agent together with the agent", async () => {
    const { db } = client.server.deps;
    const agentId = await createAgent(client.account);
    const { body } = await call("POST", "/documents", { agentId, ...prices });
    await client.settled(body.id);
    expect((await call("DELETE", `/agents/${agentId}`)).status).toBe(200);
    for (const table of ["documents", "documentFiles", "documentJobs", "sources"] as const) {
      expect(await db.selectFrom(table).select("agentId").where("agentId", "=", agentId).execute(), table).toEqual([]);
    }
    expect(await db.selectFrom("documentTexts").select("text").where("documentId", "=", body.id).execute()).toEqual([]);
  });

  describe("for documents of another organization", () => {
    it("responds with 404 on every endpoint and changes nothing", async () => {
      const { body: own } = await client.create(unique("Private"));
      await client.settled(own.id);
      const stranger = await client.server.createAccount();
      const strangersAgent = await createAgent(stranger);
      const attempts = [
        ["GET", ""],
        ["GET", "/text"],
        ["GET", "/chunks"],
        ["GET", "/file"],
        ["PUT", "", { title: "Mine" }],
        ["DELETE", ""],
        ["POST", "/retry"],
      ] as const;
      for (const [method, path, body] of attempts) {
        const { status } = await stranger.call(method, `/documents/${own.id}${path}`, body);
        expect(status, `${method} ${path}`).toBe(404);
      }
      const onAgent = { agentId: client.agentId, ...unique() };
      expect((await stranger.call("POST", "/documents", onAgent)).status).toBe(404);
      expect((await stranger.call("PUT", "/documents/by-key/a", onAgent)).status).toBe(404);
      expect((await stranger.call("GET", `/documents/limits?agentId=${client.agentId}`)).status).toBe(404);
      const search = { agentId: client.agentId, query: "private" };
      expect((await stranger.call("POST", "/documents/search", search)).status).toBe(404);
      expect((await stranger.call("POST", "/documents/bulk", { ids: [own.id], action: "delete" })).body.changed).toBe(
        0,
      );
      expect((await stranger.call("GET", `/documents?agentId=${client.agentId}`)).body.documents).toEqual([]);
      const upload = await client.server.app.inject({
        method: "POST",
        url: `/documents/upload?agentId=${client.agentId}&name=a`,
        headers: { ...stranger.headers, "content-type": "text/plain" },
        payload: "text",
      });
      expect(upload.statusCode).toBe(404);
      const sameKey = { agentId: strangersAgent, kind: "text", title: "T", text: "T" };
      await call("PUT", "/documents/by-key/shared", { ...onAgent, agentId: client.agentId });
      expect((await stranger.call("PUT", "/documents/by-key/shared", sameKey)).status).toBe(202);
      expect((await client.get(own.id)).title).toBe("Private");
    });
  });
});
