import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { createServer } from "vite";

/**
 * `npm run dev`: the API server, which restarts when its sources change, behind Vite, which serves the dashboard and
 * the widget from their sources. Open the address of PORT (3000 unless it is set), as in production.
 */
const root = join(import.meta.dirname, "..");
if (existsSync(join(root, ".env"))) process.loadEnvFile(join(root, ".env"));
const port = Number(process.env.PORT || 3000);
const baseUrl = process.env.BASE_URL || `http://localhost:${port}`;
const apiPort = await freePort();
process.env.FOYER_API_URL = `http://127.0.0.1:${apiPort}`;

const vite = await createServer({
  configFile: join(root, "vite.config.ts"),
  server: { port, strictPort: true, host: process.env.HOST || "localhost" },
});
await vite.listen();
console.log(`Foyer in development: ${baseUrl}`);

const api = spawn(process.execPath, ["--watch", "--watch-preserve-output", "packages/server/src/main.js"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, FOYER_API_URL: "", HOST: "127.0.0.1", PORT: String(apiPort), BASE_URL: baseUrl },
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => api.kill("SIGTERM"));
const [code] = await once(api, "exit");
await vite.close();
process.exitCode = code ?? 0;

/** A port that was free a moment ago. The API server keeps it across restarts. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
