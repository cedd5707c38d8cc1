import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callThenSay } from "../test/upstream.ts";
import { type FormsSite, sent, startFormsSite, submit } from "../test/widget-forms.ts";
import { ask, replyOver } from "../test/widget-site.ts";

const root = join(import.meta.dirname, "..");
const examples = join(root, "examples");

describe("the examples", () => {
  let site: FormsSite;
  const work = mkdtempSync(join(tmpdir(), "foyer-examples-"));
  beforeAll(async () => {
    site = await startFormsSite();
  });
  afterAll(async () => {
    await site.stop();
    rmSync(work, { recursive: true, force: true });
  });

  const withForm = async () => {
    const agentId = await site.createAgent();
    const client = { formExecutionMode: "client", formClientHandler: "book_test_ride", formWebhookUrl: null };
    await site.addForm(agentId, [{ name: "name", label: "Name", type: "text", defaultValue: "{{user.name}}" }], client);
    await site.owner.call("POST", `/triggers?agentId=${agentId}`, {
      name: "Large cart",
      triggerType: "custom_event",
      actionType: "show_bubble",
      conditions: { event: "cart_updated", eventData: { total: { $gt: 500 } } },
      actionConfig: { message: "May we bring it to you?" },
    });
    return agentId;
  };
  const bookARide = async (page: Page, agentId: string) => {
    await page.locator(".launcher").waitFor();
    await page.getByRole("button", { name: "Add to cart" }).click();
    await page.getByText("May we bring it to you?").first().waitFor();
    await page.getByRole("button", { name: "Book a test ride" }).click();
    await page.getByLabel("Name").fill("Ada");
    await submit(page);
    await sent(page);
    await expect.poll(() => page.locator(".summary > p").innerText()).toBe("See you soon, Ada.");
    await page.getByText("Booked for Ada").waitFor();
    await expect.poll(async () => (await site.submissions(agentId))[0]?.status).toBe("client_success");
  };

  it("show a script tag, an event, a form with a handler, and an identified visitor in plain HTML", async () => {
    const agentId = await withForm();
    const html = readFileSync(join(examples, "plain/index.html"), "utf8")
      .replace("http://localhost:3000", site.server.url)
      .replace("agent_…", agentId);
    const files = await serve(() => ({ type: "text/html", body: html }));
    const { page, problems } = await site.browser.open();
    await page.goto(files.url);
    await bookARide(page, agentId);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Book a test ride" }).click();
    await page.locator(".form:not(.sent) input").waitFor();
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Ada Lovelace");
    expect(problems.filter((problem) => !problem.includes("favicon"))).toEqual([]);
    await files.stop();
  });

  it("include a React app that compiles with the server's package and lets the agent act for a verified visitor", async () => {
    const agentId = await withForm();
    const cartTool = {
      agentId,
      name: "add_to_cart",
      description: "Puts a bike into the cart",
      executionType: "client",
      inputSchema: { type: "object", properties: { bike: { type: "string" } }, required: ["bike"] },
    };
    expect((await site.owner.call("POST", "/tools", cartTool)).status).toBe(201);
    const ada = { id: "ada", name: "Ada Lovelace" };
    const signed = await site.owner.call("POST", `/agents/${agentId}/identity-token`, ada);
    const userToken = signed.body.data.token;
    const app = join(work, "react");
    cpSync(join(examples, "react"), app, { recursive: true });
    await installWithoutRegistry(app, site.server.url);
    for (const name of ["react", "react-dom", "vite", "@types"]) {
      symlinkSync(join(root, "node_modules", name), join(app, "node_modules", name));
    }
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [compiler, "-p", app], { stdio: "inherit" });
    writeFileSync(join(app, ".env"), `VITE_FOYER_URL=${site.server.url}\nVITE_FOYER_AGENT_ID=${agentId}\n`);
    await build({ root: app, configFile: false, logLevel: "error" });
    const files = await serve((path) => {
      if (path === "/api/foyer-token") {
        return { type: "application/json", body: JSON.stringify({ name: ada.name, userToken }) };
      }
      return {
        type: extname(path) === ".js" ? "text/javascript" : "text/html",
        body: readFileSync(join(app, "dist", path === "/" ? "index.html" : path), "utf8"),
      };
    });
    const { page, problems } = await site.browser.open();
    await page.goto(files.url);
    await bookARide(page, agentId);
    await expect.poll(() => page.locator("foyer-widget").count()).toBe(1);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Signed in as Ada Lovelace.").waitFor();
    site.upstream.script(callThenSay("add_to_cart", { bike: "City One" }, "It is in your cart."));
    for (const count of [1, 2]) {
      await ask(page, "I take the City One");
      await page
        .getByRole("group", { name: "Add it to the cart?" })
        .getByRole("button", { name: "Allow", exact: true })
        .click();
      await page.getByText(Array(count).fill("City One").join(", "), { exact: true }).waitFor();
      await page
        .getByText("It is in your cart.")
        .nth(count - 1)
        .waitFor();
      await replyOver(page);
    }
    const { body } = await site.owner.call("GET", `/conversations?agentId=${agentId}`);
    expect(body.data).toMatchObject([{ userId: "ada", identity: "verified" }]);
    expect(problems.filter((problem) => !problem.includes("favicon"))).toEqual([]);
    await files.stop();
  });
});

/** Installs Foyer's own package of the app as its README says. No registry is reachable, so none can supply the package. */
async function installWithoutRegistry(app: string, serverUrl: string) {
  const path = join(app, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8").replace("http://localhost:3000", serverUrl));
  const own = Object.entries(manifest.dependencies).filter(([name]) => name.startsWith("@foyer/"));
  writeFileSync(path, JSON.stringify({ ...manifest, dependencies: Object.fromEntries(own), devDependencies: {} }));
  const options = ["--registry=http://127.0.0.1:1", "--fetch-retries=0", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", ["install", ...options], { cwd: app });
}

/** A site with these files on a free port. */
async function serve(find: (path: string) => { type: string; body: string }) {
  const server = createServer((request, response) => {
    try {
      const { type, body } = find(new URL(request.url ?? "/", "http://host.test").pathname);
      response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
