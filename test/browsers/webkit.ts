import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Engine, EnginePage } from "./engine.ts";

const driver = "/usr/bin/WebKitWebDriver";
const miniBrowser = () => globSync("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")[0];

/** Key codes of the WebDriver standard. */
const keyCodes = { Enter: "\uE007", Escape: "\uE00C", Tab: "\uE004" };

/** WebKitGTK, the engine of Safari, over the WebDriver protocol. It needs a display, so it runs in a virtual one. */
export const webkit: Engine = {
  name: "WebKit",
  // MiniBrowser's window cannot be narrower; the phone layout of the widget ends at 480 px.
  phoneWidth: 460,
  missingPackages: () => [
    ...(existsSync(driver) && miniBrowser() ? [] : ["webkit2gtk-driver"]),
    ...(existsSync("/usr/bin/Xvfb") ? [] : ["xvfb"]),
  ],
  async open() {
    const home = mkdtempSync(join(tmpdir(), "foyer-webkit-"));
    const { display, process: screen } = await startDisplay();
    const port = await freePort();
    const service = spawn(driver, [`--port=${port}`], {
      env: { ...process.env, DISPLAY: display, HOME: home, XDG_RUNTIME_DIR: home },
      stdio: "ignore",
    });
    const stop = async () => {
      for (const child of [service, screen]) {
        if (child.exitCode === null && child.kill()) await once(child, "exit");
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    };
    try {
      return await openSession(`http://127.0.0.1:${port}`, stop);
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

async function openSession(url: string, stop: () => Promise<void>): Promise<EnginePage> {
  const browserOptions = { binary: miniBrowser(), args: ["--automation"] };
  const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": browserOptions } };
  const { sessionId } = (await waitUntilUp(() => call("POST", `${url}/session`, { capabilities }))) as {
    sessionId: string;
  };
  const session = `${url}/session/${sessionId}`;
  const press = (keys: string[]) => {
    const actions = keys.flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    return call("POST", `${session}/actions`, { actions: [{ type: "key", id: "keyboard", actions }] });
  };
  const evaluate: EnginePage["evaluate"] = (script, ...args) =>
    call("POST", `${session}/execute/sync`, {
      script: `return (${script}).apply(null, arguments)`,
      args,
    }) as never;
  return {
    evaluate,
    read: (expression) => call("POST", `${session}/execute/sync`, { script: `return (${expression})`, args: [] }),
    goto: async (target) => void (await call("POST", `${session}/url`, { url: target })),
    async resize(width, height) {
      await call("POST", `${session}/window/rect`, { width, height });
    },
    async click(x, y) {
      const actions = [
        { type: "pointerMove", x: Math.round(x), y: Math.round(y), origin: "viewport" },
        { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 },
      ];
      await call("POST", `${session}/actions`, { actions: [{ type: "pointer", id: "mouse", actions }] });
    },
    type: async (text) => void (await press([...text])),
    press: async (key) => void (await press([keyCodes[key]])),
    async screenshot(path) {
      writeFileSync(path, Buffer.from((await call("GET", `${session}/screenshot`)) as string, "base64"));
    },
    async close() {
      await call("DELETE", session).catch(() => {});
      await stop();
    },
  };
}

/** @throws Error with the driver's own message */
async function call(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
  const { value } = (await response.json()) as { value: { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${value.error} ${value.message}`);
  return value;
}

/** The driver does not report when it listens, so the first call is repeated for up to 10 s. */
async function waitUntilUp<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 100 || !(error instanceof TypeError)) throw error;
      await wait(100);
    }
  }
}

/** Xvfb chooses a free display and writes its number to the descriptor that it is given. */
async function startDisplay(): Promise<{ display: string; process: ChildProcess }> {
  const child = spawn("/usr/bin/Xvfb", ["-displayfd", "3", "-screen", "0", "1280x1000x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const [number] = await once(child.stdio[3] as NodeJS.ReadableStream, "data");
  return { display: `:${String(number).trim()}`, process: child };
}

/** WebKitWebDriver does not report its port, so it cannot choose one itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
