import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, matchesGlob } from "node:path";

/**
 * Runs the steps of the Dockerfile without a container engine: every stage in an empty folder, as an unprivileged user.
 * It then starts the result, waits until its HEALTHCHECK passes, requests the pages, and prints the size of the image's
 * own files. The base image is replaced by the Node.js that runs this script. Absolute paths are relative to the
 * stage's folder.
 */
type Step = { instruction: string; args: string };
type Stage = { name: string; folder: string; workdir: string; env: Record<string, string> };

const NOBODY = 65_534;
const root = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "foyer-image-"));
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const stages = new Map<string, Stage>();
const context = join(work, "context");
const home = join(work, "home");
/** How this machine reaches the package registry. A container engine has its own settings for this. */
const networkVariable = /^(npm_config_(registry|cafile)|node_extra_ca_certs|ssl_cert_file|(https?|no)_proxy)$/i;
const network = Object.fromEntries(Object.entries(process.env).filter(([name]) => networkVariable.test(name)));

try {
  chmodSync(work, 0o755);
  mkdirSync(home);
  giveToUser(home);
  copyContext();
  let health: string[] = [];
  let command: string[] = [];
  let stage: Stage | null = null;
  for (const { instruction, args } of readSteps()) {
    if (instruction === "FROM") stage = startStage(args);
    if (!stage) throw new Error("The Dockerfile does not start with FROM.");
    const [first = "", ...rest] = args.split(/\s+/);
    if (instruction === "WORKDIR") stage.workdir = first;
    else if (instruction === "ENV") stage.env[first.slice(0, first.indexOf("="))] = args.slice(args.indexOf("=") + 1);
    else if (instruction === "COPY") copy(stage, [first, ...rest]);
    else if (instruction === "RUN") run(stage, args);
    else if (instruction === "HEALTHCHECK") health = JSON.parse(args.slice(args.indexOf("[")));
    else if (instruction === "CMD") command = JSON.parse(args);
  }
  if (!stage) throw new Error("The Dockerfile has no stage.");
  console.log(`Size of the application: ${megabytes(resolveInside(stage, "/app"))} MB`);
  console.log(`Size of its node_modules: ${megabytes(resolveInside(stage, "/app/node_modules"))} MB`);
  await start(stage, { command, health });
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The lines of the Dockerfile without comments, with continued lines joined. */
function readSteps(): Step[] {
  const text = readFileSync(join(root, "Dockerfile"), "utf8")
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, instruction = "", args = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      return { instruction, args };
    });
}

/** The files that Git knows, without those that .dockerignore excludes. */
function copyContext() {
  const ignored = readFileSync(join(root, ".dockerignore"), "utf8").trim().split("\n");
  const isIgnored = (file: string) =>
    ignored.some((pattern) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`));
  const list = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" }).trim().split("\n");
  for (const file of files) {
    if (!isIgnored(file) && existsSync(join(root, file))) cpSync(join(root, file), join(context, file));
  }
}

function startStage(args: string): Stage {
  const name = / AS (\S+)$/i.exec(args)?.[1] ?? "image";
  const stage: Stage = { name, folder: join(work, name), workdir: "/", env: {} };
  mkdirSync(stage.folder, { mode: 0o755 });
  stages.set(name, stage);
  return stage;
}

function resolveInside({ folder }: Stage, path: string): string {
  return join(folder, path);
}

function copy(stage: Stage, args: string[]) {
  const from = args.find((arg) => arg.startsWith("--from="))?.slice("--from=".length);
  const paths = args.filter((arg) => !arg.startsWith("--"));
  const target = paths.at(-1) ?? "";
  const source = from === undefined ? context : stages.get(from)?.folder;
  if (!source) throw new Error(`COPY from the unknown stage ${from}`);
  for (const path of paths.slice(0, -1)) {
    const to = join(stage.folder, target.startsWith("/") ? "" : stage.workdir, target);
    const isFile = path !== "." && /\.\w+$|LICENSE$/.test(basename(path));
    const goal = isFile && /(^\.|\/)$/.test(target) ? join(to, basename(path)) : to;
    mkdirSync(dirname(goal), { recursive: true });
    cpSync(join(source, path), goal, { recursive: true, verbatimSymlinks: true });
  }
  giveToUser(stage.folder);
}

/** Containers run RUN as root. Here the unprivileged user owns the stage instead. */
function giveToUser(folder: string) {
  if (isRoot) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, folder]);
}

function run(stage: Stage, line: string) {
  // The user `node` exists only in the base image.
  const here = line.replace(/ && chown node:node \S+/, "").replace(/ (\/[\w/]+)/g, ` ${stage.folder}$1`);
  console.log(`[${stage.name}] ${line}`);
  const options = { cwd: resolveInside(stage, stage.workdir), env: environment(stage), ...user };
  execFileSync("sh", ["-c", here], { ...options, stdio: ["ignore", "inherit", "inherit"] });
}

function environment(stage: Stage): NodeJS.ProcessEnv {
  const env = Object.entries(stage.env).map(([name, value]) => [
    name,
    value.startsWith("/") ? resolveInside(stage, value) : value,
  ]);
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    ...network,
    ...Object.fromEntries(env),
  };
}

async function start(stage: Stage, { command, health }: { command: string[]; health: string[] }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...environment(stage), PORT: String(port), BASE_URL: url };
  const options = { cwd: resolveInside(stage, stage.workdir), env, ...user };
  const [program = "", ...args] = command;
  const startedAt = performance.now();
  const server = spawn(program, args, { ...options, stdio: ["ignore", "inherit", "inherit"] });
  try {
    const [check = "", ...checkArgs] = health;
    for (let tries = 0; ; tries++) {
      const [code] = await once(spawn(check, checkArgs, { ...options, stdio: "ignore" }), "exit");
      if (code === 0) break;
      if (tries === 100 || server.exitCode !== null) throw new Error("The server did not become healthy.");
    }
    console.log(`Healthy after ${Math.round(performance.now() - startedAt)} ms`);
    for (const path of ["/dashboard", "/widget.js", "/docs", "/openapi.json"]) {
      const { status } = await fetch(url + path);
      console.log(`GET ${path}: ${status}`);
      if (status !== 200) throw new Error(`GET ${path} answered ${status}.`);
    }
  } finally {
    if (server.exitCode === null) {
      server.kill("SIGTERM");
      await once(server, "exit");
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function megabytes(path: string): string {
  return execFileSync("du", ["-sm", path], { encoding: "utf8" }).split("\t")[0] ?? "";
}
