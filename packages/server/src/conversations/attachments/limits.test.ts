import { describe, expect, it, onTestFinished } from "vitest";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer } from "../../../../../test/server.ts";
import { tinyPictures } from "../../../../../test/tiny-pictures.ts";

const png = tinyPictures["image/png"];

/** A server with these limits, and an agent whose visitors can attach pictures and files. */
async function startLimited(env: Record<string, string>) {
  const server = await startServer({ listen: true, env });
  onTestFinished(() => server.stop());
  const owner = await server.createAccount();
  const agentId = await createAgent(owner, { attachments: { images: true, files: true } });
  return {
    server,
    owner,
    agentId,
    upload: ({ sessionId, address = "192.0.2.1", agent = agentId }: Record<string, string>) =>
      server.app.inject({
        method: "POST",
        url: `/chat/attachments?agentId=${agent}&sessionId=${sessionId}`,
        headers: { "content-type": "image/png", "x-filename": "bike.png" },
        remoteAddress: address ?? "",
        payload: png,
      }),
    countStored: async () => (await server.deps.db.selectFrom("documentFiles").select("id").execute()).length,
  };
}

describe("limits of uploads", () => {
  it("a visitor can upload as often as FOYER_LIMIT_ATTACHMENTS_PER_VISITOR says", async () => {
    const { upload, countStored } = await startLimited({ FOYER_LIMIT_ATTACHMENTS_PER_VISITOR: "2" });
    const statuses = [];
    for (let n = 0; n < 2; n++) statuses.push((await upload({ sessionId: "s1" })).statusCode);
    expect(statuses).toEqual([201, 201]);
    const refused = await upload({ sessionId: "s1", address: "192.0.2.2" });
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, "RATE_LIMITED"]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(await countStored()).toBe(2);
    expect((await upload({ sessionId: "s2" })).statusCode).toBe(201);
  });

  it("an address can upload as often as FOYER_LIMIT_ATTACHMENTS_PER_IP says, whoever it claims to be", async () => {
    const { upload, countStored } = await startLimited({ FOYER_LIMIT_ATTACHMENTS_PER_IP: "2" });
    const statuses = [];
    for (const sessionId of ["s1", "s2", "s3"]) statuses.push((await upload({ sessionId })).statusCode);
    expect(statuses).toEqual([201, 201, 429]);
    expect(await countStored()).toBe(2);
    expect((await upload({ sessionId: "s3", address: "192.0.2.2" })).statusCode).toBe(201);
  });

  it("an organization can store FOYER_LIMIT_ATTACHMENT_BYTES_PER_DAY, and others are not affected", async () => {
    const limit = String(Math.ceil((png.length * 2) / 0.75));
    const { server, upload, countStored } = await startLimited({ FOYER_LIMIT_ATTACHMENT_BYTES_PER_DAY: limit });
    const statuses = [];
    for (const sessionId of ["s1", "s2"]) statuses.push((await upload({ sessionId })).statusCode);
    expect(statuses).toEqual([201, 201]);
    const refused = await upload({ sessionId: "s3" });
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, "RATE_LIMITED"]);
    expect(refused.json().error.message).toContain("tomorrow");
    expect(await countStored()).toBe(2);
    const other = await createAgent(await server.createAccount(), { attachments: { images: true } });
    expect((await upload({ sessionId: "s3", agent: other })).statusCode).toBe(201);
  });

  it("an address can store FOYER_LIMIT_ATTACHMENT_BYTES_PER_IP with an organization in a day", async () => {
    const { upload } = await startLimited({ FOYER_LIMIT_ATTACHMENT_BYTES_PER_IP: String(png.length * 2) });
    const statuses = [];
    for (const sessionId of ["s1", "s2", "s3"]) statuses.push((await upload({ sessionId })).statusCode);
    expect(statuses).toEqual([201, 201, 429]);
    expect((await upload({ sessionId: "s3", address: "192.0.2.2" })).statusCode).toBe(201);
  });

  it("a quarter of the organization's day is reserved for members", async () => {
    const limit = String(png.length * 4);
    const { server, owner, agentId, upload } = await startLimited({ FOYER_LIMIT_ATTACHMENT_BYTES_PER_DAY: limit });
    const statuses = [];
    for (const sessionId of ["s1", "s2", "s3", "s4"]) statuses.push((await upload({ sessionId })).statusCode);
    expect(statuses).toEqual([201, 201, 201, 429]);
    const begun = await server.app.inject({
      method: "POST",
      url: "/conversations",
      payload: { agentId, messages: [{ role: "user", content: "Hello" }] },
    });
    const member = await server.app.inject({
      method: "POST",
      url: `/chat/attachments?conversationId=${begun.json().data.conversationId}`,
      headers: { ...owner.headers, "content-type": "image/png", "x-filename": "bike.png" },
      payload: png,
    });
    expect(member.statusCode).toBe(201);
  });

  it("uploads that belong to deleted conversations count until the day ends", async () => {
    const limit = String(Math.ceil(png.length / 0.75));
    const { server, upload } = await startLimited({ FOYER_LIMIT_ATTACHMENT_BYTES_PER_DAY: limit });
    expect((await upload({ sessionId: "s1" })).statusCode).toBe(201);
    await server.deps.db.deleteFrom("attachments").execute();
    expect((await upload({ sessionId: "s1" })).statusCode).toBe(429);
  });

  it("0 switches each of them off", async () => {
    const { upload } = await startLimited({
      FOYER_LIMIT_ATTACHMENTS_PER_VISITOR: "0",
      FOYER_LIMIT_ATTACHMENTS_PER_IP: "0",
      FOYER_LIMIT_ATTACHMENT_BYTES_PER_DAY: "0",
      FOYER_LIMIT_ATTACHMENT_BYTES_PER_IP: "0",
    });
    const responses = await Promise.all(Array.from({ length: 30 }, () => upload({ sessionId: "s1" })));
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
  });
});
