import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { faultRun } from "./fault-run.ts";
import {
  call,
  createFaultSite,
  createForm,
  type FaultSite,
  type ServerProcess,
  submit,
  submitOnce,
} from "./fault-site.ts";

const { timeout, isLong } = faultRun;

it("a full disk (writes) acknowledges nothing that was refused, allows reads, and continues when writes succeed", {
  timeout,
}, async () => {
  const site = await createFaultSite("SQLite");
  try {
    const { serverProcess, toolId } = await startWithOneSubmission(site);
    // Every write past the first byte of a file fails with EFBIG.
    limitFileSize(serverProcess, "1:");
    await refusesToSubmit(serverProcess, toolId);
    await stillReads(serverProcess);
    limitFileSize(serverProcess, "unlimited");
    await recovers(site, serverProcess, toolId);
  } finally {
    await site.remove();
  }
});

// These tests need strace and the rights to mount a file system, which not every machine provides.
if (isLong) {
  it("a failed fsync acknowledges nothing that was not confirmed", { timeout }, async () => {
    const site = await createFaultSite("SQLite");
    try {
      const { serverProcess, toolId } = await startWithOneSubmission(site);
      const strace = await failEverySync(serverProcess);
      await refusesToSubmit(serverProcess, toolId);
      strace.kill("SIGTERM");
      await once(strace, "close");
      await expect.poll(async () => (await fetch(`${serverProcess.url}/readyz`)).status, { timeout: 5_000 }).toBe(200);
      // A commit whose write to the disk failed may have been kept, like a commit whose response was lost.
      await recovers(site, serverProcess, toolId, { mayHaveKept: true });
    } finally {
      await site.remove();
    }
  });

  it("a full disk acknowledges nothing, allows reads, and continues when there is room", { timeout }, async () => {
    const site = await createFaultSite("SQLite");
    try {
      const copy = 'cp -a "$0" "$0.copy" && mount -t tmpfs -o size=16m tmpfs "$0" && mv "$0.copy"/* "$0"';
      const mount = `${copy} && rmdir "$0.copy" && exec "$@"`;
      const under = ["unshare", "-m", "sh", "-c", mount, site.folder];
      const { serverProcess, toolId } = await startWithOneSubmission(site, { under });
      const filler = `/proc/${serverProcess.pid}/root${site.folder}/filler`;
      expect(() => writeFileSync(filler, Buffer.alloc(17_000_000))).toThrow("ENOSPC");
      await refusesToSubmit(serverProcess, toolId);
      await stillReads(serverProcess);
      rmSync(filler);
      await recovers(site, serverProcess, toolId);
    } finally {
      await site.remove();
    }
  });
}

async function startWithOneSubmission(site: FaultSite, options: Parameters<FaultSite["start"]>[0] = {}) {
  const serverProcess = await site.start(options);
  const toolId = await createForm(serverProcess, site.receiver.url);
  expect((await submitOnce(serverProcess, toolId)).status).toBe(200);
  return { serverProcess, toolId };
}

/** @param limit in bytes, in the form that `prlimit` accepts */
function limitFileSize({ pid }: ServerProcess, limit: string) {
  const { status, stderr } = spawnSync("prlimit", [`--pid=${pid}`, `--fsize=${limit}`], { encoding: "utf8" });
  if (status !== 0) throw new Error(`prlimit: ${stderr}`);
}

async function stillReads(serverProcess: ServerProcess) {
  await expect(call(serverProcess, "GET", "/form-submissions")).resolves.toMatchObject({ pagination: { total: 1 } });
}

/** @throws when one of 20 submissions gets a response other than 503 */
async function refusesToSubmit(serverProcess: ServerProcess, toolId: string) {
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await submitOnce(serverProcess, toolId)).status),
  );
  expect(statuses).toEqual(statuses.map(() => 503));
  expect((await fetch(`${serverProcess.url}/readyz`)).status).toBe(503);
}

async function recovers(site: FaultSite, serverProcess: ServerProcess, toolId: string, { mayHaveKept = false } = {}) {
  const { submissionId } = await submit(serverProcess, toolId);
  expect(await call(serverProcess, "GET", `/form-submissions/${submissionId}`)).toMatchObject({
    status: "webhook_success",
  });
  const received = site.receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(received).toContain(submissionId);
  expect(new Set(received).size).toBe(received.length);
  if (!mayHaveKept) expect(received).toHaveLength(2);
}

async function failEverySync({ pid }: ServerProcess): Promise<ChildProcess> {
  const inject = ["-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO"];
  const strace = spawn("strace", ["-f", ...inject, "-o", "/dev/null", "-p", String(pid)]);
  for await (const line of createInterface(strace.stderr)) {
    if (line.includes("attached")) return strace;
  }
  throw new Error("strace did not attach");
}
