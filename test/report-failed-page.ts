import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Page, Request } from "playwright-core";
import { onTestFinished } from "vitest";

/** Where the evidence of failed browser tests is kept. Git ignores it. */
const FOLDER = join(import.meta.dirname, "../test-results");
const FRAME_TIMEOUT_MS = 3_000;

/**
 * If the running test fails, writes what its page shows and did: a screenshot, the console, and the requests that
 * failed or never ended. A failure that a busy machine causes once in many runs can often not be repeated.
 */
export function reportFailedPage(page: Page): void {
  const lines: string[] = [];
  const open = new Set<Request>();
  page.on("request", (request) => open.add(request));
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => {
    open.delete(request);
    lines.push(`failed: ${request.method()} ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) lines.push(`${response.status()}: ${response.request().method()} ${response.url()}`);
  });
  page.on("console", (message) => lines.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => lines.push(`error: ${error.message}`));
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    const path = join(FOLDER, `${task.id}-${task.name.replace(/\W+/g, "-").slice(0, 60)}`);
    await mkdir(FOLDER, { recursive: true });
    const unfinished = [...open].map((request) => `unfinished: ${request.method()} ${request.url()}`);
    const frames = await Promise.all(page.frames().map(describeFrame));
    const report = `${[task.fullName, ...frames, ...lines, ...unfinished].join("\n")}\n`;
    await writeFile(`${path}.txt`, report);
    // Print the report as well, because a run on another machine leaves only its output.
    console.error(report);
    // The page may have closed or crashed, which is then the reason for the failure.
    await page.screenshot({ path: `${path}.png`, timeout: 5_000 }).catch(() => {});
  });
}

/** The state of a frame, and whether its page still runs tasks. */
async function describeFrame(frame: ReturnType<Page["frames"]>[number]): Promise<string> {
  const state = frame.evaluate(async () => {
    const settle = (start: (done: () => void) => unknown) =>
      new Promise<boolean>((resolve) => {
        start(() => resolve(true));
        setTimeout(() => resolve(false), 1_000);
      });
    const [isIdle, isDrawn] = await Promise.all([settle(requestIdleCallback), settle(requestAnimationFrame)]);
    const hosts = [...document.querySelectorAll("*")].flatMap(
      ({ shadowRoot }) => shadowRoot?.innerHTML.slice(0, 4_000) ?? [],
    );
    return JSON.stringify({ visibility: document.visibilityState, load: document.readyState, isIdle, isDrawn, hosts });
  });
  // The page's own timers stop while its clock is paused or a task does not end.
  const late = wait(FRAME_TIMEOUT_MS, "no answer", { ref: false });
  return `frame ${frame.url()} ${await Promise.race([state.catch((error: Error) => error.message), late])}`;
}
