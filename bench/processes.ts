import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A server in a separate process. `await using` ends it. */
export type BenchProcess = AsyncDisposable & {
  url: string;
  pid: number;
  hasEnded(): boolean;
  /** user and system time of all its threads so far, in milliseconds; Linux counts in steps of 10 */
  cpuMs(): number;
  /** resident memory, in bytes */
  rssBytes(): number;
  /** Sends a signal. @returns what the process prints next */
  ask(signal: NodeJS.Signals): Promise<string>;
};

/** Starts one of our scripts, which reports its port with `process.send({ port })` and ends when this process does. */
export async function startScript(file: URL, ...args: string[]): Promise<BenchProcess> {
  const child = fork(file, args, { env: plainEnvironment() });
  const { port } = await Promise.race([once(child, "message").then(([message]) => message), failedStart(child, file)]);
  return watchProcess(child, `http://127.0.0.1:${port}`);
}

/** Starts a program that receives only `env` and the path. It may not be listening yet. */
export function startProgram(file: URL, url: string, env: Record<string, string>, nodeOptions: readonly string[] = []) {
  const child = spawn(process.execPath, [...nodeOptions, file.pathname], {
    env: { ...plainEnvironment(), ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Read and discard the output, because a full pipe would block the process.
  child.stdout.resume();
  return watchProcess(child, url);
}

/** A free port of the loopback address. It can be taken at any time, so use it immediately. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system assigned no port.");
  return address.port;
}

/** A folder that is removed afterwards, at the latest when the process ends. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "foyer-bench-"));
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once("exit", remove);
  return {
    path,
    [Symbol.dispose]() {
      process.off("exit", remove);
      remove();
    },
  };
}

function watchProcess(child: ChildProcess, url: string): BenchProcess {
  const { pid } = child;
  if (pid === undefined) throw new Error("The process could not be started.");
  const killNow = () => void child.kill("SIGKILL");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  process.once("exit", killNow);
  return {
    url,
    pid,
    hasEnded,
    cpuMs() {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The name in parentheses may contain spaces; user and system time are the 14th and 15th field, in ticks of 10
      // ms.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    rssBytes() {
      const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      return Number(kilobytes) * 1024;
    },
    async ask(signal) {
      if (child.stdout === null) throw new Error("The process has no output pipe.");
      const printed = once(child.stdout, "data");
      child.kill(signal);
      return String((await printed)[0]);
    },
    async [Symbol.asyncDispose]() {
      process.off("exit", killNow);
      if (hasEnded()) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const cutOff = setTimeout(killNow, 5_000);
      await exited;
      clearTimeout(cutOff);
    },
  };
}

async function failedStart(child: ChildProcess, file: URL): Promise<never> {
  const [code] = await once(child, "exit");
  throw new Error(`${file.pathname} ended with code ${code} before it was listening.`);
}

function plainEnvironment() {
  return { PATH: process.env.PATH ?? "" };
}
