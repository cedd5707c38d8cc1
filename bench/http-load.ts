import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BenchProcess } from "./processes.ts";

const autocannon = fileURLToPath(import.meta.resolve("autocannon"));
const CONNECTIONS = 10;

/** GET, or POST with a `body` of JSON. */
type HttpLoad = { seconds: number; headers: Record<string, string>; body?: string; connections?: number };

/**
 * CPU time of the server per request, in milliseconds, while autocannon sends requests as fast as they are answered.
 */
export async function cpuPerRequest(server: BenchProcess, path: string, load: HttpLoad): Promise<number> {
  const before = server.cpuMs();
  const { requests } = await ask(server, path, load);
  return (server.cpuMs() - before) / requests.total;
}

async function ask(
  server: BenchProcess,
  path: string,
  { seconds, headers, body, connections = CONNECTIONS }: HttpLoad,
): Promise<Result> {
  const options = ["--json", "--no-progress", "--connections", String(connections), "--duration", String(seconds)];
  const allHeaders = { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const headerOptions = Object.entries(allHeaders).flatMap(([name, value]) => ["--headers", `${name}=${value}`]);
  const bodyOptions = body === undefined ? [] : ["--method", "POST", "--body", body];
  const result = await run([autocannon, ...options, ...headerOptions, ...bodyOptions, server.url + path]);
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of the requests to ${path} failed.`);
  return result;
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
