import type { Checkpoint } from "../../db/sqlite/checkpoint.ts";
import type { Deps } from "../../deps.ts";
import { createTimerLoop } from "../../jobs/timer-loop.ts";
import type { AttachmentService } from "./service.ts";

const EVERY_MS = 60_000;

/** Deletes uploads that no message had within the window, at the start and every minute. */
export function createAttachmentSweeper(
  { log }: Pick<Deps, "log">,
  {
    attachments,
    checkpoint,
  }: {
    attachments: Pick<AttachmentService, "deleteExpired">;
    checkpoint: Pick<Checkpoint, "run">;
  },
) {
  const failure = "uploads that no message has could not be deleted";
  const loop = createTimerLoop<never>({
    everyMs: EVERY_MS,
    async beforeRound() {
      // The write-ahead log still contains what was deleted.
      if ((await attachments.deleteExpired(Date.now())) > 0) await checkpoint.run();
      return false;
    },
    readDue: async () => [],
    handle: async () => {},
    postpone: async () => {},
    log,
    failure,
  });
  return {
    start(): void {
      loop.runOnce().catch((error: unknown) => log.error({ err: error }, `${failure}; retrying in a minute`));
      loop.start();
    },
    stop: loop.stop,
  };
}
