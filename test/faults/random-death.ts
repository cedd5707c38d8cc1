import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { type FaultSite, preload, type ServerProcess } from "./fault-site.ts";

/** The share of servers that are killed at a random moment instead of at a failpoint. */
const TIMED_SHARE = 0.25;

type KillPlan = {
  failpoints: readonly string[];
  /** The server is killed when it reaches the failpoint for the nth time. This is the maximum of n. */
  maxTimes: number;
  /** The latest random moment, in milliseconds. */
  maxDelayMs: number;
  /** If the failpoint is not reached that often, the server is killed after this time. */
  maxLifetimeMs: number;
  /** Keeps the server busy until it no longer responds. */
  load(serverProcess: ServerProcess): Promise<void>;
};

/** Starts a server that is killed at a random failpoint, or at a random moment. @returns where it died */
export async function runUntilKilled(
  site: FaultSite,
  random: () => number,
  { failpoints, maxTimes, maxDelayMs, maxLifetimeMs, load }: KillPlan,
): Promise<string> {
  const failpoint = failpoints[Math.floor(random() * failpoints.length)] ?? "";
  const times = 1 + Math.floor(random() * maxTimes);
  const isTimed = random() < TIMED_SHARE;
  const delay = isTimed ? random() * maxDelayMs : maxLifetimeMs;
  const env = { FOYER_FAULT_AT: isTimed ? "" : `${failpoint}:${times}` };
  const serverProcess = await site.start({ preload: preload("kill"), env }).catch(killedEarly);
  if (!serverProcess) return failpoint;
  const ended = new AbortController();
  const timer = wait(delay, null, { signal: ended.signal }).then(
    () => serverProcess.kill("SIGKILL"),
    () => false,
  );
  await load(serverProcess);
  expect((await serverProcess.exited).signal).toBe("SIGKILL");
  ended.abort();
  return (await timer) ? "at a random moment" : failpoint;
}

/**
 * Work that the previous server left can make a server reach the failpoint before it prints its address.
 * @throws when the server ended for another reason
 */
function killedEarly(error: Error): null {
  if (error.message.startsWith("exit null")) return null;
  throw error;
}
