import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { type DashboardSite, nextTurn, startDashboardSite } from "../test/dashboard-site.ts";
import { type SmtpTestServer, startSmtpServer } from "../test/smtp-server.ts";
import { startUpstream, type Upstream } from "../test/upstream.ts";
import { startReceiver } from "../test/webhook-receiver.ts";

/** An image that is taller than its place in a card. */
const tall =
  '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="2000"><rect width="400" height="2000"/></svg>';

// Every screenshot is taken six times, and axe checks everything twice.
describe("the tools area of the dashboard", () => {
  let site: DashboardSite;
  let stock: Upstream;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let smtp: SmtpTestServer;
  let agentId: string;
  let tools: string;
  beforeAll(async () => {
    smtp = await startSmtpServer();
    site = await startDashboardSite({ env: { FOYER_OUTBOUND_ALLOW: "127.0.0.1", SMTP_URL: smtp.url } });
    const image = "https://images.example/city-one.png";
    stock = await startUpstream(({ request, response }) => {
      response.writeHead(200, { "content-type": "application/json", "x-shop": "harbour" });
      const notes = request.url === "/catalog" ? "x".repeat(53_000) : "";
      response.end(JSON.stringify({ notes, url: request.url, bikes: [{ name: "City One", price: 690, image }] }));
    });
    receiver = await startReceiver();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    tools = `/agents/${agentId}/tools`;
    await page.context().close();
  });
  afterAll(async () => {
    await site.stop();
    await stock.stop();
    await receiver.stop();
    await smtp.close();
  });

  const part = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Parts of the tool" }).getByRole("link", { name }).click();
  const save = (page: Page, name = "Save") => page.getByRole("button", { name, exact: true }).click();

  it("explains the three kinds of tools", async () => {
    const { page, problems } = await site.open(tools);
    await page.getByRole("heading", { name: "No tools yet" }).waitFor();
    await site.picture(page, "dashboard-tools-empty");
    await expectFit(page);
    await page.getByRole("link", { name: "Add canned answer" }).click();
    await page.getByLabel("Name").fill("Opening hours!");
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("opening_hours_");
    await save(page, "Create tool");
    await page.getByText("This field is required.", { exact: true }).waitFor();
    await expectFit(page);
    await page.getByLabel("Name").fill("opening_hours");
    await page.getByLabel("Description").fill("Gives the opening hours for each day.");
    await part(page, "Response");
    await page
      .getByLabel("Response")
      .fill('[{"day":"Tuesday","hours":"9 to 18"},{"day":"Saturday","hours":"10 to 16"}');
    await page.getByText("Line 1: Expected a closing ].").waitFor();
    await page.getByLabel("Response").press("End");
    await page.getByLabel("Response").pressSequentially("]");
    await page.getByRole("button", { name: "Format JSON" }).click();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-mock");
    await part(page, "Display");
    await page.getByLabel("Show it as").selectOption("Table");
    await page.getByRole("button", { name: "Add column" }).click();
    await page.getByRole("button", { name: "Add column" }).click();
    await page.getByRole("region", { name: "What visitors see" }).getByRole("cell", { name: "10 to 16" }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-display");
    await save(page, "Create tool");
    await page.getByRole("heading", { name: "Opening hours" }).waitFor();
    await page.getByRole("link", { name: "Tools", exact: true }).click();
    await page.getByRole("link", { name: "Opening hours" }).waitFor();
    await page.getByRole("button", { name: "Create tool" }).waitFor();
    await page.getByRole("switch", { name: "Opening hours enabled" }).click();
    await expect.poll(async () => (await site.call(page, "GET", `/tools?agentId=${agentId}`))[0].isEnabled).toBe(false);
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  const make = (page: Page, tool: object) =>
    site.call(page, "POST", "/tools", { agentId, inputSchema: { type: "object" }, description: "Does it", ...tool });

  it("creates an HTTP tool with an input and a secret", async () => {
    const { page, problems } = await site.signIn();
    await page.goto(`${site.server.url}/dashboard${tools}/new?kind=http&part=request`);
    await page.getByLabel("URL").fill(`${stock.url}/stock/{bike}?key={{STOCK_KEY}}`);
    await page.getByText("No secret has this name").waitFor();
    const link = page.getByRole("link", { name: "Go to Secrets" });
    await expect.poll(() => link.getAttribute("href")).toBe("/dashboard/settings/secrets");
    await site.call(page, "POST", "/secrets", { name: "STOCK_KEY", value: "s3cret-key-of-the-shop" });
    await page.reload();
    await page.getByLabel("URL").fill(`${stock.url}/stock/{bike}`);
    await page.getByRole("button", { name: "Add input bike" }).click();
    await page.getByRole("button", { name: "Add header" }).click();
    await page.getByRole("combobox", { name: "Name" }).click();
    await page.getByRole("option", { name: "Authorization" }).click();
    await page.getByLabel("Value").fill("Bearer ");
    await page.getByRole("button", { name: "Insert a placeholder into header 1" }).click();
    await page.getByRole("menuitem", { name: "{{STOCK_KEY}}" }).click();
    await page.getByText("Filled in with every call").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-request");
    await save(page, "Create tool");
    await page.getByText("This field is required.", { exact: true }).first().waitFor();
    expect(new URL(page.url()).searchParams.get("part")).toBeNull();
    await page.getByLabel("Name", { exact: true }).fill("stock_lookup");
    await page.getByLabel("Description").fill("Looks up how many bikes of a model are in stock.");
    await save(page, "Create tool");
    await page.getByRole("button", { name: "Run test" }).waitFor();
    await page.getByLabel("bike").fill("City One");
    await page.getByLabel("bike").press("Enter");
    await page.getByText("200 OK").waitFor();
    expect(stock.exchanges.at(-1)?.request.url).toBe("/stock/City%20One");
    expect(stock.exchanges.at(-1)?.request.headers.authorization).toBe("Bearer s3cret-key-of-the-shop");
    await page.getByText(/Headers received/).click();
    await page.getByText("x-shop").waitFor();
    expect(await page.content()).not.toContain("s3cret");
    await expectFit(page);
    await site.picture(page, "dashboard-tool-test");
    await part(page, "Display");
    await page.getByLabel("Show it as").selectOption("Product carousel");
    await page.getByRole("combobox", { name: "List of products" }).fill("bikes");
    const title = page.getByRole("combobox", { name: "Title of each" });
    await title.fill("price");
    await title.press("Escape");
    // All fields of the test's result are offered, not only those that match the current one.
    await title.click();
    await page.getByRole("option", { name: "name" }).click();
    await expect.poll(() => title.inputValue()).toBe("name");
    await page.getByRole("combobox", { name: "Price of each" }).fill("price");
    await page.route("https://images.example/**", (route) =>
      route.fulfill({ contentType: "image/svg+xml", body: tall }),
    );
    await page.getByRole("combobox", { name: "Image of each" }).fill("image");
    await page.keyboard.press("Tab");
    const card = page.getByRole("region", { name: "What visitors see" }).getByRole("article", { name: "City One" });
    const [picture, text] = [await card.locator("img").boundingBox(), await card.getByText("City One").boundingBox()];
    expect((picture?.y ?? 0) + (picture?.height ?? 0), "the picture ends above the title").toBeLessThanOrEqual(
      text?.y ?? 0,
    );
    await expectFit(page);
    await site.picture(page, "dashboard-tool-carousel");
    await save(page);
    await page.getByText("Saved", { exact: true }).waitFor();
    const [tool] = await site
      .call(page, "GET", `/tools?agentId=${agentId}`)
      .then((all) => all.filter(({ name }: { name: string }) => name === "stock_lookup"));
    expect(tool.displayConfig).toEqual({
      type: "product_carousel",
      fieldMappings: { items: "bikes", image: "image", title: "name", price: "price" },
    });
    expect(problems).toEqual([]);
  });

  it("names the display settings that have no effect, and removes them", async () => {
    const { page, problems } = await site.signIn();
    const { id } = await site.call(page, "POST", "/tools", {
      agentId,
      name: "bike_of_the_day",
      description: "Gives the bike of the day.",
      executionType: "mock",
      inputSchema: { type: "object", properties: {} },
      mockResponse: '{"name":"City One","stars":5}',
      displayConfig: {
        type: "image",
        fieldMappings: { title: "name", rating: "stars" },
        options: { showRating: true },
      },
    });
    await page.goto(`${site.server.url}/dashboard${tools}/${id}?part=display`);
    const warnings = page.getByRole("region", { name: "Unused settings" });
    await warnings.waitFor();
    await expect
      .poll(() => warnings.getByRole("listitem").allInnerTexts())
      .toEqual([
        "“Image” has no slot named rating. Its slots are image, title, and description.",
        "“Image” has no option named showRating. It has no options.",
      ]);
    await expectFit(page);
    await site.picture(page, "dashboard-tool-unused");
    await warnings.getByRole("button", { name: "Remove unused settings" }).click();
    await warnings.waitFor({ state: "detached" });
    await save(page);
    await page.getByText("Saved", { exact: true }).waitFor();
    const { displayConfig } = await site.call(page, "GET", `/tools/${id}`);
    expect(displayConfig).toEqual({ type: "image", fieldMappings: { title: "name" } });
    expect(problems).toEqual([]);
  });

  it("builds a request with facts of the verified visitor, and tests it as one", async () => {
    const { page, problems } = await site.open(`${tools}/new?kind=http&part=request`);
    await page.getByLabel("Method").selectOption("POST");
    const url = page.getByRole("textbox", { name: "URL" });
    await url.pressSequentially(`${stock.url}/users/{{vis`);
    await page.getByRole("option", { name: "{{visitor.email}}" }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-completion");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect.poll(() => url.inputValue()).toBe(`${stock.url}/users/{{visitor.id}}`);
    await page.getByText("Calls for other visitors fail.").waitFor();
    const body = page.getByRole("textbox", { name: "JSON template" });
    await body.pressSequentially('{ "plan": "{{claims');
    await page.keyboard.press("Enter");
    await page.keyboard.type("plan");
    await page.keyboard.press("End");
    await page.keyboard.type('" }');
    await expect.poll(() => body.inputValue()).toBe('{ "plan": "{{visitor.claims.plan}}" }');
    await page.getByRole("button", { name: "Format JSON" }).click();
    await page.getByRole("switch", { name: "Send a signed visitor token" }).click();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-visitor");
    await page.getByRole("button", { name: "Limit the tool to verified visitors" }).click();
    await part(page, "About");
    await page.getByLabel("Name", { exact: true }).fill("plan_of_user");
    await page.getByLabel("Description").fill("Reads the plan of the signed-in user.");
    await expect
      .poll(() => page.getByRole("switch", { name: "Verified visitors only" }).getAttribute("aria-checked"))
      .toBe("true");
    await expectFit(page);
    await save(page, "Create tool");
    await page.getByRole("radio", { name: "Verified" }).check();
    await page.getByRole("button", { name: "Run test" }).click();
    await page.getByText("This field is required.", { exact: true }).waitFor();
    await expectFit(page);
    await page.getByLabel("Visitor ID").fill("ada/1");
    await page.getByLabel("Claims").fill('{ "plan": "pro" }');
    await page.getByRole("button", { name: "Run test" }).click();
    await page.getByText("200 OK").waitFor();
    const sent = stock.exchanges.at(-1);
    expect([sent?.request.url, sent?.body]).toEqual(["/users/ada%2F1", '{"plan":"pro"}']);
    expect(sent?.request.headers["foyer-visitor"]).toMatch(/^ey/);
    await site.picture(page, "dashboard-tool-test-visitor");
    await part(page, "Display");
    await page.getByLabel("Show it as").selectOption("Text");
    await page.getByRole("switch", { name: "Hide it from the AI" }).click();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-hidden");
    await save(page);
    await page.getByText("Saved", { exact: true }).waitFor();
    await expect
      .poll(() => site.call(page, "GET", new URL(page.url()).pathname.replace(/^.*\/tools/, "/tools")))
      .toMatchObject({
        httpBody: { plan: "{{visitor.claims.plan}}" },
        requires: "verified",
        resultFor: "visitor",
        sendVisitorToken: true,
      });
    expect(problems).toEqual([]);
  });

  it("explains why a call failed", async () => {
    const { page } = await site.signIn();
    const tool = await make(page, { name: "broken", executionType: "http", httpUrl: `${stock.url}/{{NOWHERE}}` });
    await page.goto(`${site.server.url}/dashboard${tools}/${tool.id}?part=test`);
    await page.getByRole("button", { name: "Run test" }).click();
    await page.getByText("There is no secret named NOWHERE").last().waitFor();
    await expectFit(page);
  });

  it("offers the fields of a result of 53 KB, of which the AI reads only a part", async () => {
    const { page } = await site.signIn();
    const displayConfig = { type: "product_carousel", fieldMappings: { items: "bikes", title: "name" } };
    const http = { executionType: "http", httpUrl: `${stock.url}/catalog`, displayConfig };
    const tool = await make(page, { name: "catalog", ...http });
    await page.goto(`${site.server.url}/dashboard${tools}/${tool.id}?part=test`);
    await page.getByRole("button", { name: "Run test" }).click();
    await page.getByText("200 OK").waitFor();
    await part(page, "Display");
    const preview = page.getByRole("region", { name: "What visitors see" });
    await preview.getByRole("article", { name: "City One" }).waitFor();
    // The sample data has three products, of which a card shows one.
    await expect.poll(() => preview.getByRole("article").count()).toBe(1);
    await expect.poll(() => page.getByText(/run a test/i).count()).toBe(0);
  });

  it("edits inputs as fields and as JSON interchangeably", async () => {
    const { page, problems } = await site.open(`${tools}/new?kind=mock&part=inputs`);
    await page.getByRole("button", { name: "Add input" }).click();
    await page.getByLabel("Name", { exact: true }).fill("size");
    await page.getByLabel("Description").fill("The size of the frame");
    await page.getByLabel("Allowed values").pressSequentially("small, medium, ");
    await expect.poll(() => page.getByLabel("Allowed values").inputValue()).toBe("small, medium, ");
    await expectFit(page);
    await site.picture(page, "dashboard-tool-inputs");
    await page.getByRole("radio", { name: "JSON" }).check();
    const json = page.getByLabel("JSON Schema");
    expect(JSON.parse(await json.inputValue())).toEqual({
      type: "object",
      properties: { size: { type: "string", description: "The size of the frame", enum: ["small", "medium"] } },
      required: ["size"],
    });
    await json.fill('{\n  "type": "object",\n  "properties": {\n    "size": { "type": "text" },\n  }\n}');
    await page.getByText("Line 4: Remove this comma: nothing follows it.").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-json");
    await page.getByRole("radio", { name: "Fields" }).check();
    await page.getByRole("button", { name: "Back to JSON" }).click();
    await json.fill('{\n  "type": "object",\n  "properties": {\n    "size": { "type": "text" }\n  }\n}');
    await part(page, "About");
    await page.getByLabel("Name", { exact: true }).fill("sizes");
    await page.getByLabel("Description").fill("Gives the sizes.");
    await save(page, "Create tool");
    await page.getByText(/^Line 4: properties.size.type must be one of/).waitFor();
    await page.getByRole("radio", { name: "Fields" }).check();
    await page.getByLabel("Type").selectOption("Text");
    await page.getByRole("radio", { name: "JSON" }).check();
    expect(JSON.parse(await json.inputValue()).properties).toEqual({ size: { type: "string" } });
    await save(page, "Create tool");
    await page.getByRole("heading", { name: "Sizes" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("builds a form with ordered fields", async () => {
    const { page, problems } = await site.open(`${tools}/new?kind=form`);
    await page.getByLabel("Name", { exact: true }).fill("test_ride");
    await page.getByLabel("Description").fill("Shows the form for a test ride.");
    await part(page, "Fields");
    const add = async (type: string, label: string) => {
      await page.getByRole("button", { name: "Add field" }).click();
      await page.getByRole("menuitem", { name: type, exact: true }).click();
      await page.getByLabel("Label").fill(label);
    };
    await add("Date", "Preferred day");
    await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("preferred_day");
    await add("Single choice", "Bike");
    await page.getByLabel("Option 1", { exact: true }).fill("City One");
    await page.getByRole("button", { name: "Add option" }).click();
    await page.getByLabel("Option 2", { exact: true }).fill("Tourer 7");
    await add("Image", "Photo of your old bike");
    await page.getByRole("button", { name: "Actions for Photo of your old bike" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Move Bike" }).focus();
    await page.keyboard.press("Space");
    await page.getByText("Picked up Bike, position 3 of 4.").waitFor();
    await nextTurn(page);
    await page.keyboard.press("ArrowUp");
    await page.getByText("Picked up Bike, position 2 of 4.").waitFor();
    await page.keyboard.press("Space");
    await page.getByText("Dropped Bike at position 2 of 4.").waitFor();
    const order = () => page.getByRole("button", { name: /^Move / }).evaluateAll((all) => all.map((a) => a.ariaLabel));
    await expect
      .poll(() => order())
      .toEqual(["Move Email", "Move Bike", "Move Preferred day", "Move Photo of your old bike"]);
    await page.getByLabel("Submit button").fill("Book the test ride");
    // The preview is the widget's own form: it validates, and shows the state after a submission without sending
    // anything.
    const preview = page.getByRole("region", { name: "Preview of the form" });
    await preview.getByRole("button", { name: "Book the test ride" }).click();
    await preview.getByText("Required", { exact: true }).waitFor();
    await preview.locator("input[type=email]").fill("ada@shop.example");
    await preview.getByRole("button", { name: "Book the test ride" }).click();
    await preview.getByRole("heading", { name: "Submitted" }).waitFor();
    await preview.getByRole("button", { name: "Start over" }).click();
    await preview.locator("input[type=email]").waitFor();
    await expect.poll(() => preview.locator("input[type=email]").inputValue()).toBe("");
    await page.getByRole("button", { name: /^Bike/ }).click();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-fields");
    await part(page, "Delivery");
    await page.getByRole("radio", { name: /^Webhook Foyer sends/ }).check();
    await page.getByLabel("Webhook URL").fill("nowhere");
    await expect.poll(() => page.getByRole("checkbox", { name: /^You / }).isChecked()).toBe(true);
    await expectFit(page);
    await part(page, "Fields");
    await save(page, "Create tool");
    await page.getByLabel("Webhook URL").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("url");
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/ride`);
    await save(page, "Create tool");
    await page.getByRole("heading", { name: "Test ride" }).waitFor();
    await part(page, "Delivery");
    await expectFit(page);
    await site.picture(page, "dashboard-tool-delivery");
    await page.getByRole("button", { name: "Send a test" }).click();
    await page
      .getByRole("dialog")
      .getByText("City One")
      .or(page.getByRole("dialog").getByText("city_one"))
      .last()
      .waitFor();
    await page.getByRole("button", { name: "Send test" }).click();
    await page.getByRole("dialog").getByText("Delivered").first().waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-sent");
    expect(Object.keys(receiver.bodies("/ride")[0].formData)).toEqual([
      "email",
      "bike",
      "preferred_day",
      "photo_of_your_old_bike",
    ]);
    await page.getByRole("button", { name: "Delete test submission" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Show secret" }).click();
    const shown = page.getByRole("region", { name: "the signing secret" });
    const before = await shown.innerText();
    expect(before).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "Replace secret…" }).click();
    await expectFit(page);
    await page.getByRole("button", { name: "Replace secret", exact: true }).click();
    await page.getByText("also signed with the").waitFor();
    await expect.poll(() => shown.innerText()).not.toBe(before);
    expect(problems).toEqual([]);
  });

  it("emails a form's submissions to outside addresses and confirms them to visitors, and keeps both on later saves", async () => {
    const { page, problems } = await site.open(`${tools}/new?kind=form`);
    await page.getByLabel("Name", { exact: true }).fill("call_back");
    await page.getByLabel("Description").fill("Shows the form for a call back.");
    await part(page, "Delivery");
    await expect.poll(() => page.getByRole("radio", { name: /^Email me/ }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Add another address" }).click();
    await page.getByLabel("Email address").fill("desk");
    await page.getByLabel("Email address").press("Enter");
    await page.getByText("Must be an email address such as you@example.com.").waitFor();
    await page.getByLabel("Email address").fill("desk@example.com");
    await page.getByLabel("Email address").press("Enter");
    await page.getByText("waiting for confirmation").waitFor();
    await expect.poll(() => page.getByRole("checkbox", { name: /desk@example.com/ }).isChecked()).toBe(true);
    expect(smtp.mails().at(-1)?.to).toEqual(["desk@example.com"]);
    await page.getByRole("switch", { name: "Send a confirmation email" }).click();
    await page.getByLabel("Subject").last().fill("We will call you");
    await expectFit(page);
    await site.picture(page, "dashboard-tool-email");
    await save(page, "Create tool");
    await page.getByRole("heading", { name: "Call back" }).waitFor();
    await part(page, "Delivery");
    await page.getByLabel("Subject").first().fill("Call back {{email}}");
    await save(page);
    await page.getByText("Saved", { exact: true }).waitFor();
    const all = await site.call(page, "GET", `/tools?agentId=${agentId}`);
    expect(all.find(({ name }: { name: string }) => name === "call_back")).toMatchObject({
      formPostActions: [
        { type: "email", recipientIds: [expect.any(String)], to: ["desk@example.com"], subject: "Call back {{email}}" },
      ],
      formConfirmation: { emailField: "email", subject: "We will call you" },
    });
    expect(problems).toEqual([]);
  });

  it("opens the part of the editor with the invalid field", async () => {
    const { page } = await site.signIn();
    const tool = await make(page, {
      name: "quote",
      executionType: "form",
      formSchema: {
        fields: [
          { name: "email", label: "E-mail", type: "email" },
          { name: "plan", label: "Plan", type: "text" },
        ],
      },
    });
    await page.goto(`${site.server.url}/dashboard${tools}/${tool.id}?part=fields`);
    await page.getByRole("button", { name: /^Plan/ }).click();
    await page.getByLabel("Default value").fill("{{user.plan}}");
    await part(page, "About");
    await save(page);
    await page.getByText(/Contains the unknown placeholder \{\{user.plan\}\}/).waitFor();
    await expect
      .poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).value))
      .toBe("{{user.plan}}");
    await expectFit(page);
    await page.getByRole("button", { name: "Insert a template" }).click();
    await page.getByRole("menuitem", { name: "{{user.name}}" }).click();
    await page.getByLabel("Default value").fill("{{user.name}}");
    await save(page);
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.getByLabel("Default value").fill("x");
    await page.getByRole("link", { name: "Triggers" }).click();
    await page.getByRole("dialog").getByRole("heading", { name: "Leave without saving?" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect
      .poll(async () => (await site.call(page, "GET", `/tools/${tool.id}`)).formSchema.fields[1].defaultValue)
      .toBe("{{user.name}}");
  });

  it("deletes a tool after a confirmation", async () => {
    const { page } = await site.signIn();
    const tool = await make(page, { name: "old_prices", executionType: "mock", mockResponse: "Low" });
    await page.goto(`${site.server.url}/dashboard${tools}/${tool.id}`);
    const remove = page.getByRole("button", { name: "Delete Old prices" });
    await page.getByLabel("Description").fill("Prices of last year.");
    await save(page);
    await remove.scrollIntoViewIfNeeded();
    const toast = await page.getByRole("status").getByText("Saved", { exact: true }).boundingBox();
    const button = await remove.boundingBox();
    expect((toast?.y ?? 0) + (toast?.height ?? 0), "the message is above the button").toBeLessThan(button?.y ?? 0);
    await remove.click();
    await expectFit(page);
    await page.getByRole("dialog").getByRole("button", { name: "Delete Old prices" }).click();
    await page.waitForURL(`**${tools}`);
    await page.getByText("Old prices deleted").waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Old prices" }).count()).toBe(0);
    for (const address of [`${tools}/${tool.id}`, "/agents/agent_of_others/tools"]) {
      await page.goto(`${site.server.url}/dashboard${address}`);
      await page.getByRole("heading", { name: "Not found" }).waitFor();
    }
  });

  it("shows which tools fail in chats", async () => {
    const { page } = await site.signIn();
    const tool = await make(page, { name: "delivery_price", executionType: "http", httpUrl: `${stock.url}/price` });
    const message = "HTTP 503: the service is closed";
    const failures = { [tool.id]: { at: new Date().toISOString(), message, recoveredAt: null } };
    await page.route("**/tools/errors?*", (route) => route.fulfill({ json: failures }));
    await page.goto(`${site.server.url}/dashboard${tools}`);
    await page
      .getByRole("row", { name: /Delivery price/ })
      .getByText(/Failing since/)
      .last()
      .waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-tools");
    await page.getByRole("link", { name: "Delivery price" }).click();
    await page.getByText(message).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-tool-about");
  });

  it("shows the settings of a saved tool that cannot work", async () => {
    const { page } = await site.signIn();
    const { id } = await site.call(page, "POST", "/tools", {
      agentId,
      name: "look_up",
      description: "Looks up an order",
      executionType: "http",
      inputSchema: { type: "object" },
      httpUrl: "https://shop.example/orders?key={{NO_SUCH_KEY}}",
    });
    await page.goto(`${site.server.url}/dashboard${tools}/${id}`);
    const warnings = page.getByRole("region", { name: "Warnings" });
    await warnings.getByText("There is no secret named NO_SUCH_KEY, so calls fail.").waitFor();
    await expectFit(page);
  });

  it("hides secrets from members", async () => {
    const email = await site.addMember("member");
    const { page, problems } = await site.open(tools, { email });
    await page.getByRole("link", { name: "Stock lookup" }).click();
    await part(page, "Request");
    await page.getByText("Only admins can see the secrets.").waitFor();
    await page.getByRole("button", { name: "Insert a placeholder into header 1" }).click();
    await page.getByRole("menuitem", { name: "{{visitor.id}}" }).waitFor();
    await expect.poll(() => page.getByRole("menuitem", { name: "{{STOCK_KEY}}" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.goto(`${site.server.url}/dashboard${tools}`);
    await page.getByRole("link", { name: "Test ride" }).click();
    await part(page, "Delivery");
    await page.getByLabel("Webhook URL").waitFor();
    await expect.poll(() => page.getByText("Signing secret").count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
