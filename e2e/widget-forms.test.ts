import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FormField } from "../packages/contract/src/index.ts";
import { chooseFile } from "../test/choose-file.ts";
import { sayWords } from "../test/upstream.ts";
import { type FormsSite, foyer, problems, sent, showForm, startFormsSite, submit } from "../test/widget-forms.ts";
import { ask, openChat, replyOver } from "../test/widget-site.ts";

const MEBIBYTE = 1024 * 1024;
const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64",
);
const isRequired = { required: { value: true } };
const bikes = [
  { label: "City One", value: "city" },
  { label: "Harbour Tour", value: "tour" },
];
const extras = [
  { label: "Helmet", value: "helmet" },
  { label: "Child seat", value: "seat" },
  { label: "Panniers", value: "bags" },
];
const everyType: FormField[] = [
  { name: "name", label: "Name", type: "text", validation: isRequired },
  { name: "email", label: "E-mail", type: "email" },
  { name: "phone", label: "Phone", type: "tel" },
  { name: "height", label: "Height", type: "number", validation: { min: { value: 1 } } },
  { name: "notes", label: "Notes", type: "textarea" },
  { name: "bike", label: "Bike", type: "select", options: bikes },
  { name: "extras", label: "Extras", type: "multiselect", options: extras },
  { name: "day", label: "Day", type: "date" },
  { name: "moment", label: "Moment", type: "datetime" },
  { name: "papers", label: "Papers", type: "file" },
  { name: "photo", label: "Photo", type: "image" },
  {
    name: "consent",
    label: "I accept the [privacy policy](/privacy)",
    type: "checkbox",
    validation: isRequired,
  },
];
const person: FormField[] = [
  { name: "name", label: "Name", type: "text", validation: isRequired },
  { name: "email", label: "E-mail", type: "email", validation: isRequired },
];

describe("a form in the widget", () => {
  let site: FormsSite;
  beforeAll(async () => {
    site = await startFormsSite();
  });
  beforeEach(() => {
    site.upstream.script(sayWords("We ", "open ", "at nine."));
    site.host.before("");
    site.receiver.received.splice(0);
    site.receiver.answer((_, response) => response.end("ok"));
  });
  afterAll(() => site.stop());

  const hooks = () => site.receiver.bodies("/hook");
  const file = (page: Page, name: string) => page.locator(`input[name=${name}]`);
  const fillPerson = async (page: Page) => {
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("E-mail").fill("ada@shop.example");
  };
  const stored = (page: Page) =>
    page.evaluate(() => JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]));

  it("submits answers of every field type", async () => {
    const { page, problems: broken } = await site.visitForm(everyType);
    const controls = await page
      .locator(".form :is(input, select, textarea)")
      .evaluateAll((all) =>
        all.map((one) =>
          ["type", "inputmode", "autocomplete"].map((name) => one.getAttribute(name) ?? one.localName).join(" "),
        ),
      );
    expect(controls).toEqual([
      "text input name",
      "email email email",
      "tel tel tel",
      "text decimal input",
      "textarea textarea textarea",
      "select select select",
      ...Array(3).fill("checkbox input input"),
      "date input input",
      "datetime-local input input",
      "file input input",
      "file input input",
      "checkbox input input",
    ]);
    await page.getByLabel("Name").fill(" Ada <b>Lovelace</b> ✓");
    await page.getByLabel("E-mail").fill("ada@shop.example");
    await page.getByLabel("Phone").fill("+49 30 12 34");
    await page.getByLabel("Height").fill("1.75");
    await page.getByLabel("Notes").fill("One\nTwo 🚲");
    await page.getByLabel("Bike").selectOption({ label: "Harbour Tour" });
    await page.getByLabel("Panniers").check();
    await page.getByLabel("Helmet").check();
    await page.getByLabel("Day").fill("2026-12-24");
    await page.getByLabel("Moment").fill("2026-12-24T09:30");
    await file(page, "papers").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") });
    await file(page, "photo").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: dot });
    await page.locator(".thumb canvas").waitFor();
    await submit(page);
    await expect.poll(() => problems(page)).toEqual(["I accept the privacy policy: Please tick this box."]);
    const policy = page.getByRole("link", { name: "privacy policy" });
    expect([await policy.getAttribute("href"), await policy.getAttribute("target")]).toEqual(["/privacy", "_blank"]);
    // Clicking the label ticks the box, but clicking the link in it does not.
    await page.getByText("I accept the").click({ position: { x: 5, y: 5 } });
    await expect.poll(() => problems(page)).toEqual([]);
    await submit(page);
    await sent(page);
    const [body] = hooks();
    expect(body.formData).toEqual({
      name: " Ada <b>Lovelace</b> ✓",
      email: "ada@shop.example",
      phone: "+49 30 12 34",
      height: 1.75,
      notes: "One\nTwo 🚲",
      bike: "tour",
      extras: ["helmet", "bags"],
      day: "2026-12-24",
      moment: "2026-12-24T09:30",
      papers: `data:text/plain;base64,${btoa("Hello")}`,
      photo: `data:image/png;base64,${dot.toString("base64")}`,
      consent: true,
    });
    expect(hooks()).toHaveLength(1);
    await page.locator("summary").click();
    await expect
      .poll(() => page.locator(".summary dd").allInnerTexts())
      .toEqual([
        " Ada <b>Lovelace</b> ✓",
        "ada@shop.example",
        "+49 30 12 34",
        "1.75",
        "One\nTwo 🚲",
        "Harbour Tour",
        "Helmet, Panniers",
        "December 24, 2026",
        "December 24, 2026 at 9:30 AM",
        "a.txt",
        "dot.png",
        "Yes",
      ]);
    expect(broken).toEqual([]);
  });

  it("submits empty fields as null", async () => {
    const fields: FormField[] = [
      ...everyType.map((field) => ({ ...field, validation: {} })),
      { name: "customer", label: "Customer", type: "text", disabled: true, defaultValue: "{{user.userId}}" },
      { name: "plan", label: "Plan", type: "select", options: bikes, disabled: true, defaultValue: "tour" },
    ];
    const { page } = await site.visitForm(fields, { visit: { attributes: { "data-user-id": "u-7" } } });
    await expect.poll(() => page.getByLabel("Customer").getAttribute("readonly")).toBe("");
    await expect.poll(() => page.getByLabel("Plan").isDisabled()).toBe(true);
    await submit(page);
    await sent(page);
    const emptyValues: Record<string, unknown> = { extras: [], consent: false };
    const empty = Object.fromEntries(everyType.map(({ name }) => [name, emptyValues[name] ?? null]));
    expect(hooks()[0].formData).toEqual({ ...empty, customer: "u-7", plan: "tour" });
    const [submission] = await site.submissions(new URL(page.url()).searchParams.get("data-agent-id") ?? "");
    expect(submission?.fieldsCompleted).toEqual(["customer", "plan"]);
  });

  it("shows errors at the fields", async () => {
    const fields: FormField[] = [
      {
        name: "code",
        label: "Code",
        type: "text",
        validation: { pattern: { value: "^[A-Z]{3}$", message: "Three letters." } },
      },
      { name: "count", label: "Count", type: "number", validation: { ...isRequired, max: { value: 5 } } },
      { name: "extras", label: "Extras", type: "multiselect", options: extras, validation: isRequired },
      { name: "email", label: "E-mail", type: "email" },
    ];
    const { page } = await site.visitForm(fields);
    const active = () =>
      page.evaluate(() => document.querySelector("foyer-widget")?.shadowRoot?.activeElement?.getAttribute("name"));
    await page.getByLabel("Code").fill("ab");
    await page.getByLabel("Code").press("Enter");
    await expect
      .poll(() => problems(page))
      .toEqual(["Code: Three letters.", "Count: Required", "Extras: Choose at least one"]);
    await expect.poll(active).toBe("code");
    const described = page.getByLabel("Code");
    await expect.poll(() => described.getAttribute("aria-invalid")).toBe("true");
    const note = await described.getAttribute("aria-describedby");
    await expect.poll(() => page.locator(`[id="${note}"]`).innerText()).toBe("Three letters.");
    await page.getByLabel("Code").fill("ABC");
    await page.getByLabel("Helmet").check();
    // An entry that is not a number is not treated as an empty field.
    await page.getByLabel("Count").pressSequentially("1e");
    await submit(page);
    await expect.poll(() => problems(page)).toEqual(["Count: Count must be a number"]);
    await page.getByLabel("Count").fill("7");
    await expect
      .poll(() => problems(page))
      .toEqual(["Count: Count must not be more than 5"].map(() => "Count: Count must be at most 5"));
    await page.getByLabel("Count").fill("4");
    await expect.poll(() => problems(page)).toEqual([]);
    await page.getByLabel("E-mail").fill("ada@");
    await page.getByLabel("Code").focus();
    await expect.poll(() => problems(page)).toEqual(["E-mail: E-mail must be an email address (name@example.com)"]);
    await page.getByLabel("E-mail").fill("");
    await submit(page);
    await sent(page);
    expect(hooks()[0].formData).toEqual({ code: "ABC", count: 4, extras: ["helmet"], email: null });
  });

  it("shows errors found by the server at the fields", async () => {
    const { page, tool } = await site.visitForm(person);
    const strict = { ...person[0], validation: { minLength: { value: 5, message: "Five letters at least." } } };
    await site.owner.call("PUT", `/tools/${tool.id}`, { formSchema: { fields: [strict, person[1]] } });
    await fillPerson(page);
    await submit(page);
    await expect.poll(() => problems(page)).toEqual(["Name: Five letters at least."]);
    await page.getByLabel("Name").fill("Ada Lovelace");
    await expect.poll(() => problems(page)).toEqual([]);
    await submit(page);
    await sent(page);
    expect(hooks()).toHaveLength(1);
  });

  it("accepts a file of 5 MiB and rejects a larger one", async () => {
    const { page, problems: broken } = await site.visitForm([everyType[9] as FormField]);
    const choose = (bytes: number) => chooseFile(file(page, "papers"), "papers.pdf", Buffer.alloc(bytes, 7));
    let posts = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/submit")) posts++;
    });
    await choose(5 * MEBIBYTE + 1);
    await expect.poll(() => problems(page)).toEqual(["Papers: Papers must not be larger than 5 MB"]);
    await expect.poll(() => page.locator(".file-text").innerText()).toMatch(/papers.pdf\s+5\.1 MB/);
    await submit(page);
    expect(posts).toBe(0);
    await page.getByRole("button", { name: "Remove papers.pdf" }).click();
    await expect.poll(() => problems(page)).toEqual([]);
    await choose(5 * MEBIBYTE);
    await expect.poll(() => page.locator(".file-text").innerText()).toMatch(/5 MB/);
    await submit(page);
    await sent(page);
    const { papers } = hooks()[0].formData;
    expect(
      Buffer.from(papers.slice("data:application/pdf;base64,".length), "base64").equals(Buffer.alloc(5 * MEBIBYTE, 7)),
    ).toBe(true);
    expect(broken).toEqual([]);
  });

  it("limits the total size of files, and accepts dropped, empty and untyped files", async () => {
    const fields = ["one", "two", "three", "four"].map((name): FormField => ({ name, label: name, type: "file" }));
    const { page } = await site.visitForm(fields);
    for (const { name } of fields) await chooseFile(file(page, name), `${name}.bin`, Buffer.alloc(5 * MEBIBYTE));
    await submit(page);
    await expect
      .poll(() => problems(page))
      .toEqual(["four: The files are too large in total. Choose smaller files or remove one."]);
    for (const name of ["one", "two"]) await page.getByRole("button", { name: `Remove ${name}.bin` }).click();
    await expect.poll(() => problems(page)).toEqual([]);
    await file(page, "three").setInputFiles({
      name: "three.bin",
      mimeType: "application/x-own",
      buffer: Buffer.alloc(0),
    });
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["dropped"], "note"));
      return transfer;
    });
    await page.locator(".file").first().dispatchEvent("dragover", { dataTransfer: dropped });
    await expect.poll(() => page.locator(".file.over").count()).toBe(1);
    await page.locator(".file").first().dispatchEvent("drop", { dataTransfer: dropped });
    await page.locator(".file-name", { hasText: "note" }).waitFor();
    await submit(page);
    await sent(page);
    const { one, two, three, four } = hooks()[0].formData;
    expect([one, two, three]).toEqual([
      `data:application/octet-stream;base64,${btoa("dropped")}`,
      null,
      "data:application/x-own;base64,",
    ]);
    expect(four.length).toBeGreaterThan(5 * MEBIBYTE);
  });

  it("shows the progress of an upload", async () => {
    const { page } = await site.visitForm([everyType[9] as FormField]);
    const buffer = Buffer.concat([dot, Buffer.alloc(4 * MEBIBYTE)]);
    await chooseFile(file(page, "papers"), "dot.png", buffer);
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 2 * MEBIBYTE,
    });
    await page.evaluate(() => {
      const seen = new Set<number>();
      Object.assign(window, { seen });
      const root = document.querySelector("foyer-widget")?.shadowRoot;
      const note = () => seen.add(root?.querySelector("progress")?.value ?? -1);
      if (root) new MutationObserver(note).observe(root, { subtree: true, childList: true, attributes: true });
    });
    await submit(page);
    await page.locator("progress").waitFor();
    await site.picture(page, "forms-uploading");
    await sent(page);
    const seen = await page.evaluate(() => [...(Reflect.get(window, "seen") as Set<number>)]);
    expect(seen.filter((value) => value > 0 && value < 100).length).toBeGreaterThan(1);
    expect(hooks()).toHaveLength(1);
  });

  it("restores typed values after a reload but not files, and deletes them after the submission", async () => {
    const { page } = await site.visitForm([...person, everyType[6] as FormField, everyType[10] as FormField]);
    await expect.poll(() => stored(page)).toBe("[[],[]]");
    await fillPerson(page);
    await page.getByLabel("Child seat").check();
    await file(page, "photo").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: dot });
    await page.locator(".thumb canvas").waitFor();
    // Opening the form again on the same page keeps even the file.
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await foyer(page, "open");
    await expect.poll(() => page.locator(".file-name").innerText()).toBe("dot.png");
    await page.getByLabel("E-mail").fill("ada@shop.example");
    await page.reload();
    await page.locator(".form").waitFor();
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Ada");
    await expect.poll(() => page.getByLabel("E-mail").inputValue()).toBe("ada@shop.example");
    await expect.poll(() => page.getByLabel("Child seat").isChecked()).toBe(true);
    await page.getByText("Please choose the file again. Files aren't saved when you leave the page.").waitFor();
    await site.picture(page, "forms-restored");
    await file(page, "photo").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: dot });
    await page.getByText("Please choose the file again").waitFor({ state: "detached" });
    await submit(page);
    await sent(page);
    expect(await stored(page)).not.toContain("Ada");
    await page.reload();
    await page.locator(".panel").waitFor();
    await expect.poll(() => page.locator(".form").count()).toBe(0);
  });

  it("keeps a form's state while the visitor reads other conversations", async () => {
    const { page } = await site.visit();
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    const agentId = new URL(page.url()).searchParams.get("data-agent-id") ?? "";
    const tool = await site.addForm(agentId, [...person, everyType[10] as FormField]);
    await showForm(page, tool.name);
    await fillPerson(page);
    await file(page, "photo").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: dot });
    await page.getByRole("button", { name: "Conversations" }).click();
    await page.getByRole("button", { name: "Back" }).click();
    await page.locator(".thumb canvas").waitFor();
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Ada");
    await submit(page);
    await sent(page);
    const [submission] = await site.submissions(agentId);
    const { data } = (await site.owner.call("GET", `/conversations?agentId=${agentId}`)).body;
    expect(submission?.conversationId).toBe(data[0].id);
  });

  it("prefills a form within a reply with what the agent knows", async () => {
    const { page, agentId, problems: broken } = await site.visit();
    await site.addTool(agentId, "stock", { bike: "tour", left: 2 }, { type: "text" });
    await site.addForm(
      agentId,
      [
        ...person,
        {
          name: "bike",
          label: "Bike",
          type: "select",
          options: bikes,
          defaultValue: "{{context.previousResult.bike}}",
        },
      ],
      { schema: { successMessage: "See you on Friday.", submitLabel: "Book it" } },
    );
    site.callTools(["stock", "test_ride"], "Here is the form.");
    await openChat(page);
    await ask(page, "I want to try the Harbour Tour");
    await page.locator(".form").waitFor();
    await replyOver(page);
    await expect.poll(() => page.getByLabel("Bike").inputValue()).toBe("tour");
    await page.getByLabel("Name").fill("Ada");
    await page.reload();
    await page.locator(".form").waitFor();
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Ada");
    await fillPerson(page);
    await page.getByRole("button", { name: "Book it" }).click();
    await sent(page);
    await expect.poll(() => page.locator(".form-title").innerText()).toBe("See you on Friday.");
    expect(hooks()[0].formData).toEqual({ name: "Ada", email: "ada@shop.example", bike: "tour" });
    await page.reload();
    await sent(page);
    await expect.poll(() => page.locator(".form input").count()).toBe(0);
    await page.getByText("Your answers", { exact: true }).click();
    await page.getByText("ada@shop.example", { exact: true }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await openChat(other);
    await sent(other);
    await expect.poll(() => other.locator(".form input").count()).toBe(0);
    await expect
      .poll(() => site.analytics(agentId))
      .toMatchObject({ impressions: 1, started: 1, submitted: 1, successful: 1 });
    expect(broken).toEqual([]);
  });

  it("submits once despite repeated clicks", async () => {
    const { page, agentId } = await site.visitForm(person);
    await fillPerson(page);
    let posts = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/submit") && request.method() === "POST") posts++;
    });
    await page.locator(".submit").evaluate((button: HTMLButtonElement) => {
      for (let press = 0; press < 5; press++) button.click();
    });
    await page
      .locator(".submit")
      .dblclick({ timeout: 1_000 })
      .catch(() => {});
    await sent(page);
    expect(posts).toBe(1);
    await expect.poll(() => site.submissions(agentId)).toHaveLength(1);
    expect(hooks()).toHaveLength(1);
  });

  it("keeps the answers when the network fails and retries with the same key", async () => {
    const { page, agentId } = await site.visitForm(person);
    await fillPerson(page);
    // The submission arrives, but its response does not.
    await page.route("**/submit", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await submit(page);
    await page.getByText("The server couldn't be reached. Your answers are still here").waitFor();
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Ada");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The server couldn't be reached.").waitFor();
    await page.reload();
    await page.unroute("**/submit");
    await page.locator(".form").waitFor();
    await submit(page);
    await sent(page);
    await expect.poll(() => site.submissions(agentId)).toHaveLength(1);
    expect(hooks()).toHaveLength(1);
  });

  it("creates a new submission when the data has changed", async () => {
    const { page, agentId } = await site.visitForm(person);
    await fillPerson(page);
    await page.route("**/submit", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await submit(page);
    await page.locator(".submit-area .failure").waitFor();
    await page.unroute("**/submit");
    await page.getByLabel("Name").fill("Ada Lovelace");
    await page.locator(".submit-area .failure").waitFor({ state: "detached" });
    await submit(page);
    await sent(page);
    await expect.poll(() => site.submissions(agentId)).toHaveLength(2);
    expect(hooks().map(({ formData }) => formData.name)).toEqual(["Ada", "Ada Lovelace"]);
  });

  it("explains in the visitor's language why the server rejected a form", async () => {
    const { page, tool } = await site.visitForm(person, {
      tool: { schema: { errorMessage: "Your ride is not booked." } },
    });
    await fillPerson(page);
    const submitAndRefuse = async (status: number, code: string, headers = {}) => {
      await page.unroute("**/submit");
      const body = JSON.stringify({ data: null, error: { code, message: "For developers" } });
      const cors = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" };
      await page.route("**/submit", (route) =>
        route.fulfill({ status, body, headers: { ...cors, "content-type": "application/json", ...headers } }),
      );
      await submit(page);
    };
    const said = () => page.locator(".submit-area .failure p").allInnerTexts();
    const headline = "Your ride is not booked.";
    await submitAndRefuse(503, "OVERLOADED");
    await expect.poll(said).toEqual([headline, "We're very busy right now. Please try again in a moment."]);
    await submitAndRefuse(403, "FORBIDDEN");
    await expect.poll(said).toEqual([headline, "This form can't be used on this page."]);
    await submitAndRefuse(413, "PAYLOAD_TOO_LARGE");
    await expect.poll(said).toEqual([headline, "Something went wrong. Please try again."]);
    await submitAndRefuse(429, "RATE_LIMITED", { "retry-after": "2" });
    await expect.poll(said).toEqual([headline, "You've submitted this form too many times. Try again in 2 s."]);
    await expect.poll(() => page.locator(".submit").innerText()).toMatch(/Try again\s*\([12]\)/);
    let posts = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/submit") && request.method() === "POST") posts++;
    });
    await page.locator(".submit").evaluate((button: HTMLButtonElement) => button.click());
    await page.getByRole("button", { name: "Try again", exact: true }).waitFor();
    expect(posts).toBe(0);
    await page.unroute("**/submit");
    await site.owner.call("DELETE", `/tools/${tool.id}`);
    await submit(page);
    await page.getByText("This form is no longer available.").waitFor();
    await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Ada");
  });

  describe("with the site's own handler", () => {
    const client = { formExecutionMode: "client", formClientHandler: "book" };
    const register = (body: string) =>
      site.host.before(
        `window.called = []; window.Foyer = [['registerFormHandler', 'book', async (data, facts) => { called.push([data, facts]); ${body} }], ['setContext', { cart: 3 }]]`,
      );
    const called = (page: Page) => page.evaluate(() => Reflect.get(window, "called"));

    it("runs the site's form handler after the submission", async () => {
      register("return { success: true, message: 'Booked as 42.', data: { booking: 42 } }");
      const { page, agentId, tool } = await site.visitForm(person, { tool: { ...client, formWebhookUrl: null } });
      await fillPerson(page);
      await submit(page);
      await sent(page);
      await expect.poll(() => page.locator(".summary > p").innerText()).toBe("Booked as 42.");
      const [submission] = await site.submissions(agentId);
      await expect.poll(async () => (await site.submissions(agentId))[0]?.status).toBe("client_success");
      const [after] = await site.submissions(agentId);
      expect(after?.clientResult).toEqual({ success: true, message: "Booked as 42.", data: { booking: 42 } });
      await expect
        .poll(() => called(page))
        .toEqual([
          [
            { name: "Ada", email: "ada@shop.example" },
            {
              submissionId: submission?.id,
              toolId: tool.id,
              toolName: tool.name,
              conversationId: null,
              context: { cart: 3 },
            },
          ],
        ]);
      expect(hooks()).toHaveLength(0);
    });

    it("runs the webhook and the site's handler if the form asks for both", async () => {
      register("");
      const { page, agentId } = await site.visitForm(person, { tool: { ...client, formExecutionMode: "both" } });
      await fillPerson(page);
      await submit(page);
      await sent(page);
      await expect.poll(async () => (await site.submissions(agentId))[0]?.status).toBe("success");
      expect(hooks()).toHaveLength(1);
      await expect.poll(() => called(page)).toHaveLength(1);
    });

    it("shows the message of a failing handler", async () => {
      register("return called.length > 1 ? { success: true } : { success: false, message: 'That day is taken.' }");
      const { page, agentId } = await site.visitForm(person, { tool: client });
      const notices: { event: string }[] = [];
      await page.exposeFunction("note", (notice: { event: string }) => notices.push(notice));
      await page.evaluate(() => Reflect.get(window, "Foyer").on("form", Reflect.get(window, "note")));
      await fillPerson(page);
      await submit(page);
      await page.locator(".failure", { hasText: "That day is taken." }).waitFor();
      await page.getByRole("button", { name: "Try again" }).click();
      await sent(page);
      await expect
        .poll(async () => (await site.submissions(agentId)).map(({ status }) => status).sort())
        .toEqual(["client_failed", "client_success"]);
      expect(notices.filter(({ event }) => event !== "shown")).toMatchObject([
        { event: "started" },
        { event: "failed", reason: "HANDLER", submissionId: expect.stringMatching(/^sub_/) },
        { event: "submitted", submissionId: expect.stringMatching(/^sub_/), toolName: "test_ride" },
      ]);
    });

    it("hides a handler's exception from the visitor", async () => {
      register("throw new Error('TypeError at line 7')");
      const { page, agentId } = await site.visitForm(person, {
        tool: { ...client, schema: { errorMessage: "Not booked." } },
      });
      await fillPerson(page);
      await submit(page);
      await page.locator(".failure", { hasText: "Not booked." }).waitFor();
      await expect.poll(() => page.locator(".panel").innerText()).not.toContain("line 7");
      await expect
        .poll(async () => (await site.submissions(agentId))[0]?.clientResult)
        .toEqual({
          success: false,
          message: "TypeError at line 7",
          data: null,
        });
    });

    it("reports a missing handler by name", async () => {
      const { page, agentId } = await site.visitForm(person, { tool: client });
      const warning = page.waitForEvent("console", (message) => message.type() === "warning");
      await fillPerson(page);
      await submit(page);
      expect((await warning).text()).toContain('registerFormHandler("book"');
      await page.locator(".failure", { hasText: "Something went wrong. Please try again." }).waitFor();
      await expect
        .poll(async () => (await site.submissions(agentId))[0]?.clientResult?.message)
        .toBe('No form handler named "book" is registered on this page.');
    });

    it("reports the handler's result once the network is back", async () => {
      register("");
      const { page, agentId } = await site.visitForm(person, { tool: client });
      await fillPerson(page);
      await page.route("**/client-result", (route) => route.abort());
      const failed = page.waitForEvent("requestfailed");
      await submit(page);
      await sent(page);
      await failed;
      await page.unroute("**/client-result");
      await expect
        .poll(async () => {
          await page.evaluate(() => window.dispatchEvent(new Event("online")));
          return (await site.submissions(agentId))[0]?.status;
        })
        .toBe("client_success");
    });
  });

  it("reports to the server how far visitors got", async () => {
    const { page, agentId } = await site.visitForm(person);
    const events: string[] = [];
    page.on("request", (request) => {
      if (!request.url().endsWith("/form-submissions/event") || request.method() !== "POST") return;
      const { eventType, fieldName } = request.postDataJSON();
      // Impressions may be sent before or after this listener is added. The server reports how many there were.
      if (eventType === "impression") return;
      events.push(fieldName ? `${eventType} ${fieldName}` : eventType);
    });
    await page.getByLabel("Name").fill("A");
    await page.getByLabel("E-mail").fill("no address");
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("E-mail").fill("ada@shop.example");
    await page.getByLabel("Name").focus();
    await expect.poll(() => events).toEqual(["started", "field_completed name", "field_completed email"]);
    await page.reload();
    await page.locator(".form").waitFor();
    await page.getByLabel("Name").fill("Ada Lovelace");
    await page.getByLabel("E-mail").focus();
    await submit(page);
    await sent(page);
    expect(events).toHaveLength(3);
    await expect
      .poll(() => site.analytics(agentId))
      .toMatchObject({
        impressions: 1,
        started: 1,
        submitted: 1,
        fieldCompletionRates: { name: 100, email: 100 },
      });
    const [submission] = await site.submissions(agentId);
    expect(submission?.impressionAt).toBeLessThanOrEqual(submission?.startedAt ?? 0);
    expect(submission?.fieldsCompleted).toEqual(["name", "email"]);
  });

  it("counts a form as shown when it is visible", async () => {
    const { page, agentId } = await site.visit({}, { context: { viewport: { width: 1000, height: 700 } } });
    const tall = Array.from({ length: 12 }, (_, index): FormField => ({ name: `f${index}`, label: "F", type: "text" }));
    const [first, second] = [
      await site.addForm(agentId, tall, { name: "first" }),
      await site.addForm(agentId, person, { name: "second" }),
    ];
    await showForm(page, first.id);
    const impressions = async () => {
      const { analytics } = (await site.owner.call("GET", `/form-submissions/analytics?agentId=${agentId}`)).body;
      return Object.fromEntries(
        analytics.map((entry: { toolName: string; impressions: number }) => [entry.toolName, entry.impressions]),
      );
    };
    await expect.poll(impressions).toEqual({ first: 1, second: 0 });
    await page.getByLabel("F").first().focus();
    await foyer(page, "open", { form: second.id });
    await page.locator(".form").nth(1).waitFor();
    // A form that is being filled in is not replaced.
    await expect.poll(() => page.locator(".form").nth(1).isVisible()).toBe(true);
    await page.locator(".scroll").evaluate((element) => element.scrollTo(0, 0));
    await foyer(page, "close");
    await foyer(page, "open");
    await page.locator(".scroll").evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect.poll(impressions).toEqual({ first: 1, second: 1 });
  });

  it("fills in the visitor's identity", async () => {
    const fields: FormField[] = [
      { name: "name", label: "Name", type: "text", defaultValue: "{{user.name}}" },
      { name: "email", label: "E-mail", type: "email", defaultValue: "{{user.email}}" },
      { name: "size", label: "Size", type: "text", defaultValue: "Frame {{user.metadata.bike.size}}" },
    ];
    const { page, tool } = await site.visitForm(fields);
    const values = () =>
      page.locator(".form input").evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    await page.getByLabel("Name").fill("A friend");
    await foyer(page, "identify", {
      userId: "1",
      userName: "Ada",
      userEmail: "ada@shop.example",
      metadata: { bike: { size: 54 } },
    });
    await expect.poll(values).toEqual(["A friend", "ada@shop.example", "Frame 54"]);
    await foyer(page, "logout");
    await page.locator(".form").waitFor({ state: "detached" });
    expect(await stored(page)).not.toContain("A friend");
    await showForm(page, tool.id);
    await expect.poll(() => values()).toEqual(["", "", "Frame "]);
    await page.getByLabel("Name").fill("Bob");
    await foyer(page, "identify", { userId: "2" });
    await foyer(page, "identify", { userId: "3" });
    await page.locator(".form").waitFor({ state: "detached" });
    expect(await stored(page)).not.toContain("Bob");
  });

  it("stores no form data without consent", async () => {
    const { page } = await site.visitForm(person, { visit: { attributes: { "data-consent": "required" } } });
    await fillPerson(page);
    await expect.poll(() => stored(page)).toBe("[[],[]]");
    await foyer(page, "consent");
    await expect.poll(() => stored(page)).toContain("Ada");
    await submit(page);
    await sent(page);
  });

  it("reports a form that does not exist", async () => {
    const { page, agentId } = await site.visit();
    await foyer(page, "open", { form: "no_such_form" });
    await page.locator(".failure", { hasText: "This form is no longer available." }).waitFor();
    const tool = await site.addForm(agentId, person);
    await page.route("**/widget/mount-form*", (route) => route.abort());
    await foyer(page, "open", { form: tool.id });
    await page.locator(".failure", { hasText: "The form couldn't be loaded." }).waitFor();
    await page.unroute("**/widget/mount-form*");
    await page.getByRole("button", { name: "Try again" }).last().click();
    await page.locator(".form").waitFor();
  });
});
