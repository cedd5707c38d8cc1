import type { DocumentSourceDetail } from "@foyer/contract";
import { expect, vi } from "vitest";
import type { DocumentClient } from "./document-client.ts";

export type SourceClient = ReturnType<typeof createSourceClient>;

/** Calls of the sources API for one organization. */
export function createSourceClient({ account, agentId }: Pick<DocumentClient, "account" | "agentId">) {
  async function get(id: string): Promise<DocumentSourceDetail> {
    const { status, body } = await account.call("GET", `/sources/${id}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  async function waitUntilSettled(id: string): Promise<DocumentSourceDetail> {
    const idle = async () => {
      const source = await get(id);
      expect(source.state).toBe("idle");
      return source;
    };
    return vi.waitFor(idle, { timeout: 30_000, interval: 20 });
  }

  async function add(url: string, input: object = {}): Promise<string> {
    const { status, body } = await account.call("POST", "/sources", { agentId, url, schedule: "manual", ...input });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.id;
  }

  return {
    get,
    settled: waitUntilSettled,
    add,
    /** Adds a site and waits for its first sync. */
    async read(url: string, input: object = {}): Promise<DocumentSourceDetail> {
      return waitUntilSettled(await add(url, input));
    },
    /** Syncs a site again and waits for the end. */
    async sync(id: string): Promise<DocumentSourceDetail> {
      const { status, body } = await account.call("POST", `/sources/${id}/sync`);
      expect(status, JSON.stringify(body)).toBe(202);
      return waitUntilSettled(id);
    },
    /** The pages of a source as `path state`, ordered by URL; `reasons` adds why they were not read. */
    async pages(id: string, { reasons = false } = {}): Promise<string[]> {
      const { body } = await account.call("GET", `/sources/${id}/pages?limit=200`);
      return body.pages.map((page: { url: string; state: string; reason: string | null }) => {
        const { pathname, search } = new URL(page.url);
        return `${pathname}${search} ${page.state}${reasons && page.reason ? `: ${page.reason}` : ""}`;
      });
    },
    /** The documents of a source as `path: title`, once all of them have been processed. */
    async documents(id: string): Promise<string[]> {
      const processed = async () => {
        const { body } = await account.call("GET", `/documents?sourceId=${id}&limit=200`);
        for (const { state } of body.documents) expect(["ready", "failed"]).toContain(state);
        return body.documents
          .map(({ url, title }: { url: string; title: string }) => `${new URL(url).pathname}: ${title}`)
          .sort();
      };
      return vi.waitFor(processed, { timeout: 30_000, interval: 20 });
    },
  };
}
