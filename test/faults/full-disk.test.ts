import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, createForm, type FaultSite, type Life, submit, submitOnce } from "./fault-site.ts";

const { timeout } = faultRun;

/** Both need tools that not every machine has, the second also root: there they are skipped. */
const hasStrace = spawnSync("strace", ["-e", "trace=none", "true"]).status === 0;
const hasMounts = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

it.skipIf(!hasStrace)("acknowledges nothing that the disk did not take", { timeout }, async () => {
  const site = await createFaultSite("SQLite");
  try {
    const life = await site.start();
    const toolId = await createForm(life, site.receiver.url);
    expect((await submitOnce(life, toolId)).status).toBe(200);
    const strace = await failEverySync(life);
    await refusesToSubmit(life, toolId);
    strace.kill("SIGTERM");
    await once(strace, "close");
    await recovers(site, life, toolId);
  } finally {
    await site.remove();
  }
});

it.skipIf(!hasMounts)(
  "acknowledges nothing that found no room, still reads, and goes on when there is room",
  { timeout },
  async () => {
    const site = await createFaultSite("SQLite");
    try {
      const mount = 'mount -t tmpfs -o size=8m tmpfs "$0" && exec "$@"';
      const life = await site.start({ under: ["unshare", "-m", "sh", "-c", mount, site.folder] });
      const toolId = await createForm(life, site.receiver.url);
      expect((await submitOnce(life, toolId)).status).toBe(200);
      const filler = `/proc/${life.pid}/root${site.folder}/filler`;
      expect(() => writeFileSync(filler, Buffer.alloc(9_000_000))).toThrow("ENOSPC");
      await refusesToSubmit(life, toolId);
      await expect(call(life, "GET", "/form-submissions")).resolves.toMatchObject({ pagination: { total: 1 } });
      rmSync(filler);
      await recovers(site, life, toolId);
    } finally {
      await site.remove();
    }
  },
);

/** The first few may still find room. @throws when all are acknowledged */
async function refusesToSubmit(life: Life, toolId: string) {
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await submitOnce(life, toolId)).status));
  expect(statuses).toEqual(statuses.map(() => 503));
  expect((await fetch(`${life.url}/readyz`)).status).toBe(503);
}

async function recovers(site: FaultSite, life: Life, toolId: string) {
  const { submissionId } = await submit(life, toolId);
  expect(await call(life, "GET", `/form-submissions/${submissionId}`)).toMatchObject({ status: "webhook_success" });
  expect(site.receiver.received.at(-1)?.headers["webhook-id"]).toBe(submissionId);
  expect(site.receiver.received).toHaveLength(2);
}

async function failEverySync({ pid }: Life): Promise<ChildProcess> {
  const inject = ["-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO"];
  const strace = spawn("strace", ["-f", ...inject, "-o", "/dev/null", "-p", String(pid)]);
  for await (const line of createInterface(strace.stderr)) {
    if (line.includes("attached")) return strace;
  }
  throw new Error("strace did not attach");
}
