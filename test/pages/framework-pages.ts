import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { folderSite, type Site } from "./host-site.ts";
import type { HostPage } from "./visit-page.ts";

const sites = join(import.meta.dirname, "sites");

/** A framework's own command: the package that has it, its name, and its arguments. */
type Command = [packageName: string, command: string, ...args: string[]];

/** A site of `sites/`. Its output is a folder of files, or a server that listens on the port in `PORT`. */
type Framework = { site: string; build: Command; output: { folder: string } | { server: (site: string) => string[] } };

const astro: Framework = { site: "astro", build: ["astro", "astro", "build"], output: { folder: "dist" } };
const svelteKit: Framework = { site: "sveltekit", build: ["vite", "vite", "build"], output: { folder: "build" } };
const angular: Framework = {
  site: "angular",
  build: ["@angular/cli", "ng", "build"],
  output: { folder: "dist/browser" },
};
const nuxt: Framework = {
  site: "nuxt",
  build: ["nuxt", "nuxt", "build"],
  output: { server: () => [".output/server/index.mjs"] },
};
const remix: Framework = {
  site: "remix",
  build: ["@remix-run/dev", "remix", "vite:build"],
  output: { server: (site) => [findCommand(site, "@remix-run/serve", "remix-serve"), "build/server/index.js"] },
};
const next: Framework = {
  site: "next",
  build: ["next", "next", "build"],
  output: { server: (site) => [findCommand(site, "next", "next"), "start"] },
};

/** Pages of frameworks that have a build command of their own. */
export const frameworkPages: HostPage[] = [
  { name: "Next.js 16 app router", start: () => start(next) },
  { name: "Next.js 16 pages router", path: "/classic", start: () => start(next) },
  { name: "Nuxt 4", start: () => start(nuxt) },
  { name: "Remix 2", start: () => start(remix) },
  { name: "SvelteKit 3", start: () => start(svelteKit) },
  { name: "Astro 7 with view transitions", start: () => start(astro) },
  { name: "Angular 22", start: () => start(angular) },
];

const builds = new Map<string, Promise<void>>();

async function start({ site, build, output }: Framework): Promise<Site & { stop?: () => Promise<void> }> {
  const cwd = join(sites, site);
  const isBuilt = builds.get(site) ?? runBuild(cwd, build);
  builds.set(site, isBuilt);
  await isBuilt;
  if ("folder" in output) return folderSite(join(cwd, output.folder));
  return startServer(cwd, output.server(cwd));
}

async function runBuild(cwd: string, [packageName, command, ...args]: Command): Promise<void> {
  const child = run(cwd, [findCommand(cwd, packageName, command), ...args]);
  const output = collect(child);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} in ${cwd}: ${output.text}`);
}

async function startServer(cwd: string, args: string[]) {
  const port = await findFreePort();
  const child = run(cwd, args, { PORT: String(port), HOST: "127.0.0.1", NODE_ENV: "production" });
  const origin = `http://127.0.0.1:${port}`;
  const output = collect(child);
  const exited = once(child, "close");
  let isRunning = true;
  exited.then(() => {
    isRunning = false;
  });
  let status: number | undefined;
  while (status === undefined) {
    if (!isRunning) throw new Error(`the server of ${cwd} ended: ${output.text}`);
    status = await fetch(origin).then(
      (response) => response.status,
      () => undefined,
    );
  }
  if (status !== 200) throw new Error(`the server of ${cwd} responds with ${status}: ${output.text}`);
  return {
    origin,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

function run(cwd: string, args: string[], env: Record<string, string> = {}) {
  const quiet = { CI: "1", NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1", NUXT_TELEMETRY_DISABLED: "1" };
  const { PATH = "", HOME = "" } = process.env;
  return spawn(process.execPath, args, { cwd, env: { PATH, HOME, ...quiet, ...env } });
}

function collect(child: ReturnType<typeof run>): { text: string } {
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output.text += data;
    });
  }
  return output;
}

/** Frameworks do not say which port they have chosen in the same way, so each gets one that was free before. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The file of a package's command. npm puts the package beside the site or above it, depending on its version. */
function findCommand(cwd: string, packageName: string, command: string): string {
  const folders = [cwd, join(sites, "..")].map((folder) => join(folder, "node_modules", packageName));
  const folder = folders.find((path) => existsSync(path));
  if (!folder) throw new Error(`${packageName} is not installed: run npm ci in test/pages`);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin: Record<string, string> | string;
  };
  return join(folder, typeof bin === "string" ? bin : (bin[command] ?? ""));
}
