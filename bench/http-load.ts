import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BenchProcess } from "./processes.ts";

const autocannon = fileURLToPath(import.meta.resolve("autocannon"));
const CONNECTIONS = 10;

/** CPU of the server for one request, in milliseconds, while autocannon asks as fast as it is answered. */
export async function cpuPerRequest(
  server: BenchProcess,
  path: string,
  { seconds, headers }: { seconds: number; headers: Record<string, string> },
): Promise<number> {
  const options = ["--json", "--no-progress", "--connections", String(CONNECTIONS), "--duration", String(seconds)];
  const headerOptions = Object.entries(headers).flatMap(([name, value]) => ["--headers", `${name}=${value}`]);
  const before = server.cpuMs();
  const result = await run([autocannon, ...options, ...headerOptions, server.url + path]);
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of the requests to ${path} failed.`);
  return (server.cpuMs() - before) / result.requests.total;
}

type Result = { requests: { total: number }; non2xx: number; errors: number; timeouts: number };

async function run(args: string[]): Promise<Result> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  let output = "";
  for await (const text of child.stdout.setEncoding("utf8")) output += text;
  await closed;
  return JSON.parse(output);
}
