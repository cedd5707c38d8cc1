import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { bindAnyPort } from "../packages/server/src/http/bind-port.ts";
import type { ReverseProxy } from "./reverse-proxy.ts";
import { createTemporaryFolder } from "./temporary-folders.ts";

/** @throws when nginx is not installed. Debian installs it into a folder that is not in every user's path. */
function findNginx(): string {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  const found = folders.map((folder) => join(folder, "nginx")).find(isExecutable);
  if (found === undefined) throw new Error("nginx is not installed. Debian and Ubuntu: apt-get install nginx-light");
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The configuration for a path from the deployment guide, with these addresses. */
function readDocumentedLocation({ path, removesPath, server }: { path: string; removesPath: boolean; server: string }) {
  const guide = readFileSync(join(import.meta.dirname, "../docs/guides/deployment.md"), "utf8");
  const [, location] = /```nginx\n(location \/support\/ \{.*?)\n```/s.exec(guide) ?? [];
  if (location === undefined) throw new Error("The deployment guide has no nginx location for a path.");
  const here = location.replaceAll("/support/", `${path}/`).replaceAll("http://127.0.0.1:3000", server);
  return removesPath ? here.replace(`proxy_pass ${server};`, `proxy_pass ${server}/;`) : here;
}

/** nginx with the configuration of the deployment guide. With `removesPath`, it removes the path from requests. */
export async function startNginx(path: string, removesPath: boolean): Promise<ReverseProxy> {
  const program = findNginx();
  const folder = createTemporaryFolder("nginx");
  // nginx binds its port itself, so the port is released here first.
  const bound = await bindAnyPort("127.0.0.1");
  await bound.release();
  const url = `http://127.0.0.1:${bound.port}`;
  let stop = async () => {};
  return {
    url,
    async forwardTo(server) {
      const location = readDocumentedLocation({ path, removesPath, server });
      const configuration = join(folder, "nginx.conf");
      await writeFile(configuration, createConfiguration(folder, bound.port, location));
      const child = spawn(program, ["-c", configuration, "-e", join(folder, "error.log")]);
      let output = "";
      child.stderr.on("data", (data) => {
        output += data;
      });
      while ((await fetch(url).catch(() => null)) === null) {
        if (child.exitCode !== null) throw new Error(`nginx ended with code ${child.exitCode}: ${output}`);
        await wait(20);
      }
      stop = async () => {
        child.kill("SIGTERM");
        await once(child, "exit");
      };
    },
    stop: () => stop(),
  };
}

function createConfiguration(folder: string, port: number, location: string): string {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  return `daemon off;
master_process off;
pid ${join(folder, "nginx.pid")};
events {}
http {
  access_log off;
  ${paths.join("\n  ")}
  server {
    listen 127.0.0.1:${port};
    ${location}
    location / { return 404; }
  }
}
`;
}
