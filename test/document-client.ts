import { expect, vi } from "vitest";
import type { Document, DocumentDetail } from "../packages/contract/src/index.ts";
import type { TestDatabase } from "./databases.ts";
import { createAgent } from "./factories.ts";
import { startServer } from "./server.ts";

export type DocumentClient = Awaited<ReturnType<typeof openDocuments>>;

/** A server, and an organization with an agent whose documents the tests write. */
export async function openDocuments(
  options: Parameters<typeof startServer>[0] & { database?: TestDatabase; plan?: string } = {},
) {
  const { plan, ...serverOptions } = options;
  const server = await startServer(serverOptions);
  const account = await server.createAccount(plan);
  const agentId = await createAgent(account);

  async function get(id: string): Promise<DocumentDetail> {
    const { status, body } = await account.call("GET", `/documents/${id}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  /** Waits until the document is ready or has failed. */
  async function waitUntilSettled(id: string): Promise<DocumentDetail> {
    const waiting = async () => {
      const document = await get(id);
      expect(["ready", "failed"]).toContain(document.state);
      return document;
    };
    // Unlike `expect.poll`, this also works in hooks.
    return vi.waitFor(waiting, { timeout: 30_000, interval: 20 });
  }

  async function upload(content: string | Uint8Array, name = "file", query = "", headers: Record<string, string> = {}) {
    const response = await server.app.inject({
      method: "POST",
      url: `/documents/upload?agentId=${agentId}&name=${encodeURIComponent(name)}${query}`,
      headers: { ...account.headers, "content-type": "application/octet-stream", ...headers },
      payload: Buffer.from(content),
    });
    return { status: response.statusCode, headers: response.headers, body: response.json() };
  }

  return {
    server,
    account,
    agentId,
    get,
    settled: waitUntilSettled,
    upload,
    async create(input: object): Promise<{ status: number; body: Document }> {
      return account.call("POST", "/documents", { agentId, ...input });
    },
    /** Uploads a file and waits for the outcome. */
    async read(content: string | Uint8Array, name?: string): Promise<DocumentDetail> {
      const { status, body } = await upload(content, name);
      expect(status, JSON.stringify(body)).toBe(202);
      return waitUntilSettled(body.id);
    },
    async textOf(id: string): Promise<string> {
      return (await account.call("GET", `/documents/${id}/text`)).body.text;
    },
  };
}
