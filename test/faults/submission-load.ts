import { type Life, submitOnce } from "./fault-site.ts";

/** Clients that submit one after the other until they are stopped, or the server does not answer any more. */
export function startLoad(life: Life, toolId: string, clients: number) {
  const acknowledged: string[] = [];
  const statuses = new Map<number | "none", number>();
  let isStopped = false;
  async function client() {
    while (!isStopped) {
      const answer = await submitOnce(life, toolId).catch(() => null);
      const status = answer?.status ?? "none";
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (!answer) return;
      if (answer.status === 200) acknowledged.push(answer.body.submissionId);
    }
  }
  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    acknowledged,
    /** How often each status was answered; `none` where there was no answer. */
    statuses,
    async stop() {
      isStopped = true;
      await all;
    },
  };
}
