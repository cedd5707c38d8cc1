/**
 * The maximum time for which background work waits while replies are starting, in milliseconds, so that it also
 * progresses while chats start continuously.
 */
const MAX_WAIT_MS = 50;

type Waiting = { begin(): void; isOverdue: boolean; timer: NodeJS.Timeout };

/** The counter applies to the whole process, because all of its servers share the event loop. */
let starting = 0;
const waiting: Waiting[] = [];
let isScheduled = false;

/** Runs the work from a visitor's request to the call of the model. Ingestion pauses in the meantime. */
export async function whileReplyStarts<T>(work: () => Promise<T>): Promise<T> {
  starting++;
  try {
    return await work();
  } finally {
    starting--;
    schedule();
  }
}

/**
 * Resolves when background work may write: while no reply is starting, and for one caller in each turn of the event
 * loop, in the order of the calls. On SQLite, all statements share the event loop and one connection, and transactions
 * that wait for the connection run back to back, without a turn in between. A visitor's request or a model's token that
 * arrives in the meantime would wait for all of them: during uploads, the longest hold of the event loop fell from 14.6
 * and 20.8 ms of CPU to 7.1 to 9.9.
 * @param waitedMs how long the caller has already waited for something else
 */
export function waitForStartingReplies(waitedMs = 0): Promise<void> {
  return new Promise((begin) => {
    const added: Waiting = {
      begin,
      isOverdue: false,
      timer: setTimeout(
        () => {
          added.isOverdue = true;
          schedule();
        },
        Math.max(0, MAX_WAIT_MS - waitedMs),
      ),
    };
    waiting.push(added);
    schedule();
  });
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  setImmediate(beginNext);
}

function beginNext(): void {
  isScheduled = false;
  const [first] = waiting;
  if (!first || (starting > 0 && !first.isOverdue)) return;
  waiting.shift();
  clearTimeout(first.timer);
  first.begin();
  schedule();
}
