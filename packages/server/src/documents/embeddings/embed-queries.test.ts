import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DocumentClient, openDocuments } from "../../../../../test/document-client.ts";
import { checkEmbeddings } from "../../doctor/account-checks.ts";
import { EmbeddingError } from "../../models/embedding-error.ts";
import { createQueryEmbedder } from "./embed-queries.ts";

let client: DocumentClient;
beforeAll(async () => {
  client = await openDocuments();
  const { db } = client.server.deps;
  const { agentId } = client;
  const { organizationId } = client.account;
  await db.insertInto("embeddingSettings").values({ organizationId, model: "openai/test", updatedAt: 1 }).execute();
  const progress = { nextNumber: 1, endNumber: 1, dimensions: 1_024, vectors: 1, readyAt: 1 };
  await db
    .insertInto("agentEmbeddings")
    .values({ agentId, organizationId, model: "openai/test", ...progress })
    .execute();
});
afterAll(() => client.server.stop());

it("a question is left without vectors when the provider's failure cannot be recorded", async () => {
  const { db } = client.server.deps;
  const embedder = async () => {
    // Makes later writes fail, as they do when the database is full.
    await db.schema.alterTable("embeddingSettings").renameColumn("queryError", "renamed").execute();
    throw new EmbeddingError("HTTP 503: down", 503);
  };
  const budgets = { count: async () => [] };
  const parts = { db, models: { embedder } as never, budgets, log: pino({ enabled: false }) };
  const queries = createQueryEmbedder(parts);
  const { agentId } = client;
  const { organizationId } = client.account;
  expect(await queries.embed({ organizationId, agentId, queries: ["Where is my car?"] })).toBeNull();
  await db.schema.alterTable("embeddingSettings").renameColumn("renamed", "queryError").execute();
  await queries.stop();
});

it("the embedding status and the doctor name the agents with more vectors than a search can compare", async () => {
  const { agentId } = client;
  const status = async () => (await client.account.call("GET", `/documents/embeddings?agentId=${agentId}`)).body;
  // A vector with 1,024 dimensions takes 136 bytes including the passage's number, and at most 160 MB are used.
  const setVectors = (vectors: number) =>
    client.server.deps.db.updateTable("agentEmbeddings").set({ vectors }).where("agentId", "=", agentId).execute();
  await setVectors(1_176_470);
  expect(await status()).toMatchObject({ oversizedAgentIds: [] });
  await setVectors(1_176_471);
  expect(await status()).toMatchObject({ oversizedAgentIds: [agentId] });
  const agents = [{ id: agentId, name: "Harbour", model: null, handoff: "{}", identitySecret: "" }];
  expect(checkEmbeddings(await status(), agents)).toMatchObject({
    state: "warning",
    detail: expect.stringContaining("searched by words: Harbour."),
  });
});
