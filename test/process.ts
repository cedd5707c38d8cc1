import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startOptions } from "./start-options.ts";
import { createTemporaryFolder } from "./temporary-folders.ts";

const source = join(import.meta.dirname, "../packages/server/src");

/** Runs a Foyer command to completion, like `npm run foyer -- …`. */
export async function runCommand(args: string[], env: Record<string, string>) {
  const child = start([join(source, "cli.js"), ...args], env);
  const output = collect(child);
  const [code] = await once(child, "close");
  return { code, ...output };
}

/**
 * Starts the server as `npm start` does, on a port that the operating system chooses, and waits until the server prints
 * its address.
 * @param options.preload modules that the server loads first
 * @param options.cwd the working directory, where the server looks for `.env`
 * @param options.entry the program, instead of the server's sources
 * @param options.under a command that runs the server, such as `strace`
 */
export async function startProcess(env: Record<string, string>, options: StartOptions = {}) {
  const { entry = join(source, "main.js") } = options;
  const child = start([...startOptions, entry], { PORT: "0", FOYER_MAX_LAG: "0s", ...env }, options);
  const output = collect(child);
  const exited = once(child, "close").then(([code, signal]) => ({ code, signal, ...output }));
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", () => output.stdout.includes("Model ") && resolve());
    exited.then(({ code }) => reject(new Error(`exit ${code}: ${output.stderr}`)), reject);
  });
  return {
    url: `http://127.0.0.1:${/http:\/\/localhost:(\d+)/.exec(output.stdout)?.[1]}`,
    pid: child.pid,
    output,
    exited,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}

/** A data directory that is removed after the test. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = createTemporaryFolder("process");
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

type StartOptions = { entry?: string; preload?: string[]; under?: string[]; cwd?: string };

/**
 * Inherits only the path and the compile cache, so a test must set every variable that it needs. With the cache, Node
 * does not strip the types of preloaded modules again.
 */
function start(
  args: string[],
  env: Record<string, string>,
  { preload = [], under = [], cwd = tmpdir() }: StartOptions = {},
) {
  const { PATH = "", NODE_COMPILE_CACHE = join(tmpdir(), "node-compile-cache") } = process.env;
  const loaded = preload.map((path) => `--import=${pathToFileURL(path).href}`);
  const [command = "", ...rest] = [...under, process.execPath, ...loaded, ...args];
  return spawn(command, rest, { env: { PATH, NODE_COMPILE_CACHE, ...env }, cwd });
}

function collect(child: ChildProcess) {
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (data) => {
    output.stdout += data;
  });
  child.stderr?.on("data", (data) => {
    output.stderr += data;
  });
  return output;
}
