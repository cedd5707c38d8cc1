/**
 * Runs `work` in one of the browser's tabs at a time: the one that the user viewed most recently. A phone suspends tabs
 * in the background, which keep their locks. The tab runs it again when it becomes visible, because its connections may
 * have died in the meantime. On pages without HTTPS, browsers have no locks, so every tab runs it.
 * @param work ends when its signal aborts
 */
export function leadTab(name: string, signal: AbortSignal, work: (turn: AbortSignal) => Promise<void>): void {
  const { locks } = navigator;
  if (!locks) return void work(signal);
  let current = new AbortController();

  function take(isSeen: boolean): void {
    current.abort();
    const turn = new AbortController();
    current = turn;
    locks
      .request(name, isSeen ? { steal: true } : { signal: turn.signal }, async () => {
        if (!turn.signal.aborted) await work(turn.signal);
      })
      .catch((error: Error) => {
        if (turn !== current || signal.aborted) return;
        // Another tab has taken the lock. This tab waits until that tab is closed.
        if (error.name === "AbortError") take(false);
        else throw error;
      });
  }

  const onVisibility = () => document.hidden || take(true);
  document.addEventListener("visibilitychange", onVisibility, { signal });
  signal.addEventListener("abort", () => current.abort());
  take(!document.hidden);
}
