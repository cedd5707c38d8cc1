import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildOutdated } from "./build.ts";
import { installedPackages } from "./build-server.ts";

/**
 * `npm run release -- [platform … | --all]`: writes `release/foyer-<version>-<platform>.tar.gz`, which runs with Node.js and
 * nothing else: `tar xf`, then `node server.js`. The files keep their places in the repository, so the same paths are right.
 */
const platforms = ["linux-x64", "linux-arm64", "linuxmusl-x64", "linuxmusl-arm64", "darwin-arm64"] as const;
type Platform = (typeof platforms)[number];

const NODE_MAJOR = 26;
const root = join(import.meta.dirname, "..");
const files = [
  "LICENSE",
  ".env.example",
  "packages/server/bundle",
  "packages/server/cmaps",
  "packages/server/dist",
  "packages/server/src/models/prices/prices.json",
  "packages/server/src/pages/static",
  "packages/widget/dist",
  "packages/dashboard/dist",
];

if (import.meta.main) {
  const wanted = process.argv.slice(2);
  const all = wanted.includes("--all");
  for (const platform of all ? platforms : wanted.length > 0 ? wanted.map(requirePlatform) : [currentPlatform()]) {
    console.log(await packRelease(platform, join(root, "release")));
  }
}

/** The platform of this machine. */
export function currentPlatform(): Platform {
  // Node.js reports the version of glibc; with musl there is none.
  const report = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const isMusl = process.platform === "linux" && !report.header.glibcVersionRuntime;
  return requirePlatform(`${isMusl ? "linuxmusl" : process.platform}-${process.arch}`);
}

function requirePlatform(name: string): Platform {
  const platform = platforms.find((known) => known === name);
  if (!platform) throw new Error(`There is no release for ${name}, only for ${platforms.join(", ")}.`);
  return platform;
}

/** Builds what has changed, and packs it. @returns the path of the archive */
export async function packRelease(platform: Platform, folder: string): Promise<string> {
  await buildOutdated();
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const name = `foyer-${version}-${platform}`;
  const target = join(folder, name);
  rmSync(target, { recursive: true, force: true });
  for (const file of files) cpSync(join(root, file), join(target, file), { recursive: true });
  for (const name of installedPackages) copyPackage(name, { platform, target });
  const engines = { node: `>=${NODE_MAJOR}` };
  writeFileSync(
    join(target, "package.json"),
    `${JSON.stringify({ name: "foyer", version, license, type: "module", private: true, engines }, null, 2)}\n`,
  );
  writeFileSync(join(target, "server.js"), createEntry("main.js"));
  writeFileSync(join(target, "foyer.js"), createEntry("cli.js"));
  execFileSync("tar", ["--create", "--gzip", "--file", join(folder, `${name}.tar.gz`), "--directory", folder, name]);
  rmSync(target, { recursive: true });
  return join(folder, `${name}.tar.gz`);
}

/** An older Node.js would stop at a syntax that it does not know. */
const createEntry = (name: string) => `if (Number.parseInt(process.versions.node, 10) < ${NODE_MAJOR}) {
  console.error(\`Foyer needs Node.js ${NODE_MAJOR} or newer. This is Node.js \${process.versions.node}.\`);
  process.exit(1);
}
await import("./packages/server/bundle/${name}");
`;

/** What a package needs to run, with the native binary of one platform. */
function copyPackage(name: string, { platform, target }: { platform: Platform; target: string }) {
  const from = join(root, "node_modules", name);
  const to = join(target, "node_modules", name);
  const isNeeded = (path: string) =>
    !/\/(deps|src|binding\.gyp)$/.test(path) && (!path.endsWith(".node") || path.endsWith(`/${platform}.node`));
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true, filter: (path) => isNeeded(path.slice(from.length)) });
}
