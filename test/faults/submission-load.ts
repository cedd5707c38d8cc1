import { type ServerProcess, submitOnce } from "./fault-site.ts";

/** Clients that submit continuously until they are stopped, or until the server stops responding. */
export function startLoad(serverProcess: ServerProcess, toolId: string, clients: number) {
  const acknowledged: string[] = [];
  const statuses = new Map<number | "none", number>();
  let isStopped = false;
  async function createClient() {
    while (!isStopped) {
      const answer = await submitOnce(serverProcess, toolId).catch(() => null);
      const status = answer?.status ?? "none";
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (!answer) return;
      if (answer.status === 200) acknowledged.push(answer.body.submissionId);
    }
  }
  const all = Promise.all(Array.from({ length: clients }, createClient));
  return {
    acknowledged,
    /** The number of responses by status. `none` counts missing responses. */
    statuses,
    async stop() {
      isStopped = true;
      await all;
    },
  };
}
