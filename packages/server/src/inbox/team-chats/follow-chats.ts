import type { Logger } from "pino";
import { failpoint } from "../../failpoints.ts";
import { LeaseLostError } from "../../jobs/leased-queue.ts";
import { createSharedWorker } from "../../jobs/shared-worker.ts";
import type { BotJob, BotQueue } from "./bot-queue.ts";
import { type IncomingMessage, type TeamChat, TeamChatError } from "./team-chat.ts";

/**
 * The maximum number of bots that one process follows. Each bot uses one connection, which is idle most of the time.
 */
const MAX_BOTS = 500;
const MAX_WAIT_MS = 60_000;
/**
 * The number of consecutive failed connections after which the dashboard reports a problem. A single failure can be
 * caused by a restart of the platform or a brief network problem.
 */
const REPORTED_AFTER = 3;

type Parts = {
  queue: BotQueue;
  open(job: BotJob): TeamChat;
  receive(job: BotJob, message: IncomingMessage): Promise<void>;
  log: Logger;
};

/**
 * Creates the worker that receives the messages of all bots and reconnects after failures. One process follows each
 * bot.
 */
export function createChatFollower({ queue, open, receive, log }: Parts) {
  async function follow(job: BotJob, signal: AbortSignal): Promise<void> {
    const chat = open(job);
    const { botName, chatTitle, hasTopics } = await chat.check(signal);
    await queue.update(job, { botName, chatTitle, hasTopics: hasTopics ? 1 : 0 });
    let isConnected = false;
    await chat.follow(
      {
        cursor: job.cursor,
        async onConnected() {
          if (isConnected) return;
          await queue.update(job, { state: "connected", problem: null, failures: 0 });
          isConnected = true;
        },
        async onMessage(message) {
          await receive(job, message);
          failpoint("team-chat.received");
        },
        onCursor: (cursor) => queue.update(job, { cursor }),
      },
      signal,
    );
  }

  /** Records why the bot is not connected, and releases it until the next attempt. */
  async function recordFailure(job: BotJob, error: unknown): Promise<void> {
    if (!(error instanceof TeamChatError)) {
      log.error({ err: error, channelId: job.channelId }, "cannot receive the messages of a team chat; retrying");
    }
    const failures = job.failures + 1;
    const { problem, message, chatId } =
      error instanceof TeamChatError
        ? error
        : { problem: "unavailable" as const, message: "The server could not process a message. See the server log." };
    const isReported = problem !== "unavailable" || failures >= REPORTED_AFTER;
    if (problem === "moved" && chatId !== undefined) await queue.update(job, { chatId, cursor: null });
    else await queue.update(job, { failures, problem: message, state: isReported ? "failed" : "connecting" });
    await queue.release(job, waitAfter(error, failures));
  }

  return createSharedWorker({
    name: "team_chat_bots",
    size: MAX_BOTS,
    queue,
    async run(job, signal) {
      try {
        await follow(job, signal);
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLostError) throw error;
        await recordFailure(job, error);
      }
    },
    log,
    jobName: "team chat",
    idOf: ({ channelId }) => channelId,
  });
}

function waitAfter(error: unknown, failures: number): number {
  if (!(error instanceof TeamChatError)) return Math.min(1_000 * 2 ** failures, MAX_WAIT_MS);
  switch (error.problem) {
    case "moved":
      return 0;
    case "busy":
      return error.retryAfterMs;
    case "unavailable":
      return Math.min(500 * 2 ** failures, MAX_WAIT_MS);
    case "conflict":
      return MAX_WAIT_MS / 4;
    default:
      return MAX_WAIT_MS;
  }
}
