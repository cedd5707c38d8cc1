import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FormField } from "../packages/contract/src/index.ts";
import { accessibilityProblems, measureOverflow } from "../test/browser.ts";
import { chooseFile } from "../test/choose-file.ts";
import { type FormsSite, problems, sent, showForm, startFormsSite, submit } from "../test/widget-forms.ts";
import { openChat } from "../test/widget-site.ts";

const hostile = `</script><img src=x onerror="window.broken=1"><b>bold</b>`;
const phone = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true };
const isRequired = { required: { value: true } };
const ride: FormField[] = [
  { name: "name", label: "Your name", type: "text", placeholder: "First and last name", validation: isRequired },
  {
    name: "email",
    label: "E-mail",
    type: "email",
    validation: { required: { value: true, message: "We need it to confirm." } },
  },
  { name: "phone", label: "Phone", type: "tel" },
  { name: "height", label: "Height in cm", type: "number", validation: { min: { value: 120 } } },
  {
    name: "bike",
    label: "Bike",
    type: "select",
    options: [
      { label: "City One", value: "city" },
      { label: "Harbour Tour", value: "tour" },
    ],
  },
  {
    name: "extras",
    label: "What shall we prepare?",
    type: "multiselect",
    options: [
      { label: "Helmet", value: "helmet" },
      { label: "Child seat", value: "seat" },
    ],
  },
  { name: "day", label: "Day", type: "date" },
  { name: "moment", label: "Time", type: "datetime" },
  { name: "customer", label: "Customer number", type: "text", disabled: true, defaultValue: "HB-1024" },
  { name: "notes", label: "Anything else?", type: "textarea", placeholder: "Tell us about the tours you like" },
  { name: "photo", label: "Photo of your old bike", type: "image" },
  { name: "papers", label: "Insurance papers", type: "file" },
];

const consent: FormField = {
  name: "consent",
  label: "I accept the [privacy policy](https://shop.example/privacy) and may withdraw my consent",
  type: "checkbox",
  validation: isRequired,
};

/** A simple drawing of a bike: two wheels on a quay. */
const bike = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAADAAAAAgCAMAAABjCgsuAAAACVBMVEUcGReoxtiWjHhIliVgAAAAeUlEQVR42u2RSw6AIAxEp9z/0GpD6ADDx4WJC7qwZR4PjMJeFo5whC8EPJUbeKEFJzVHyYRQQkwzCKbHTiBCsNvYnuA9L3iObmLNgo0E0TBG1adpbrD5K20Lpv6mzFIulClGmW1ui4MT0Tv2xyxj6qQKRNbyZf1QuADsuQa6hTkxEAAAAABJRU5ErkJggg==",
  "base64",
);

describe("forms in the widget", () => {
  let site: FormsSite;
  beforeAll(async () => {
    site = await startFormsSite();
  });
  beforeEach(() => site.receiver.received.splice(0));
  afterAll(() => site.stop());

  it.each([
    ["desktop", { viewport: { width: 1000, height: 860 } }],
    ["phone", phone],
  ])(
    "are accessible in every state, in light and in dark, on a %s",
    async (device, context) => {
      const { page, problems: broken } = await site.visitForm([...ride, consent], {
        visit: { context },
        tool: { schema: { successMessage: "Thank you. We will write to you today.", submitLabel: "Book the ride" } },
      });
      const check = async (name: string) => {
        expect([name, await accessibilityProblems(page)]).toEqual([name, []]);
        expect(await measureOverflow(page)).toBe(0);
        expect(await page.locator(".scroll").evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await site.picture(page, `forms-${name}-${device}-${colorScheme}`);
        }
        await page.emulateMedia({ colorScheme: "light" });
      };
      await check("empty");
      expect(
        await page
          .locator(".form .input")
          .first()
          .evaluate((field) => getComputedStyle(field).fontSize),
      ).toBe("16px");
      await submit(page);
      await page.locator(".problem").first().waitFor();
      await check("errors");
      await page.getByLabel("Your name").fill("Ada Lovelace");
      await page.getByLabel("E-mail").fill("ada@shop.example");
      await page.getByLabel("Bike", { exact: true }).selectOption("tour");
      await page.getByLabel("Helmet").check();
      await page.getByLabel("I accept the privacy policy").check();
      await page
        .getByLabel("Anything else?")
        .fill("A long tour by the sea,\nwith hills,\nand cake,\nand wind,\nand more cake.");
      await page
        .locator("input[name=photo]")
        .setInputFiles({ name: "the old one in front of the ferry.png", mimeType: "image/png", buffer: bike });
      await chooseFile(page.locator("input[name=papers]"), "papers.pdf", Buffer.alloc(6_000_000));
      await page.locator(".thumb canvas").waitFor();
      await check("files");
      await page.getByRole("button", { name: "Remove papers.pdf" }).click();
      await page.route("**/submit", (route) => route.abort());
      await submit(page);
      await page.locator(".submit-area .failure").waitFor();
      await check("failed");
      await page.unroute("**/submit");
      const hold = Promise.withResolvers<void>();
      await page.route("**/submit", async (route) => {
        await hold.promise;
        await route.continue();
      });
      await submit(page);
      await page.locator(".submit .glowing").waitFor();
      await check("sending");
      hold.resolve();
      await sent(page);
      await check("sent");
      await page.locator("summary").click();
      await check("answers");
      expect(broken.filter((problem) => !problem.includes("ERR_FAILED"))).toEqual([]);
    },
    60_000,
  );

  it("can be completed with the keyboard alone", async () => {
    const { page } = await site.visitForm(ride.filter(({ type }) => type !== "file"));
    const keys = page.keyboard;
    const active = () =>
      page.evaluate(() => {
        const element = document.querySelector("foyer-widget")?.shadowRoot?.activeElement;
        return element?.getAttribute("name") ?? element?.className;
      });
    await expect.poll(active).toBe("form-title");
    await keys.press("Tab");
    await keys.type("Ada");
    await keys.press("Tab");
    await keys.type("ada@");
    // Enter submits from any input, and the first invalid field then has the focus.
    await keys.press("Enter");
    await expect.poll(() => problems(page)).toEqual(["E-mail: E-mail must be an email address (name@example.com)"]);
    await expect.poll(active).toBe("email");
    await keys.press("End");
    await keys.type("shop.example");
    for (const stop of ["phone", "height", "bike"]) {
      await keys.press("Tab");
      await expect.poll(() => active()).toBe(stop);
    }
    await keys.press("ArrowDown");
    await keys.press("Tab");
    await keys.press("Space");
    await expect.poll(() => page.getByLabel("Helmet").isChecked()).toBe(true);
    const stops: (string | null | undefined)[] = [];
    while (stops.at(-1) !== "submit" && stops.length < 30) {
      await keys.press("Tab");
      stops.push(await active());
    }
    expect([...new Set(stops)]).toEqual(["extras", "day", "moment", "customer", "notes", "photo", "submit"]);
    await keys.press("Space");
    await sent(page);
    await expect.poll(active).toBe("form-title");
    expect(site.receiver.bodies("/hook")[0].formData).toMatchObject({
      name: "Ada",
      email: "ada@shop.example",
      bike: "city",
      extras: ["helmet"],
    });
  });

  it("do not execute markup in labels and options", async () => {
    const fields: FormField[] = [
      {
        name: "text",
        label: hostile,
        type: "text",
        placeholder: hostile,
        defaultValue: hostile,
        validation: { pattern: { value: "^never$", message: hostile } },
      },
      { name: "notes", label: hostile, type: "textarea", defaultValue: `</textarea>${hostile}` },
      {
        name: "bike",
        label: hostile,
        type: "select",
        placeholder: hostile,
        options: [{ label: hostile, value: hostile }],
      },
      { name: "extras", label: hostile, type: "multiselect", options: [{ label: hostile, value: hostile }] },
      { name: "papers", label: hostile, type: "file" },
    ];
    site.host.before(
      `window.Foyer = [['registerFormHandler', 'own', () => ({ success: true, message: ${JSON.stringify(hostile).replaceAll("<", "\\u003c")} })]]`,
    );
    const { page, problems: broken } = await site.visitForm(fields, {
      tool: {
        formExecutionMode: "both",
        formClientHandler: "own",
        schema: { submitLabel: hostile, successMessage: hostile, errorMessage: hostile },
      },
    });
    site.host.before("");
    await submit(page);
    await page.locator(".problem").waitFor();
    await page.locator(".input").first().fill("never");
    await page.locator("select").selectOption({ index: 1 });
    await page.locator("input[type=checkbox]").check();
    await page.locator("input[type=file]").setInputFiles({
      name: `${hostile.replaceAll("/", "")}.svg`,
      mimeType: "text/html",
      buffer: Buffer.from("<script>window.broken=1</script>"),
    });
    await page.locator(".file-name").waitFor();
    await page.route("**/submit", (route) => route.abort());
    await submit(page);
    await page.locator(".submit-area .failure").waitFor();
    await expect.poll(() => page.locator(".submit-area .failure p").first().innerText()).toBe(hostile);
    await page.unroute("**/submit");
    await submit(page);
    await sent(page);
    await page.locator("summary").click();
    await expect.poll(() => page.locator(".summary > p").innerText()).toBe(hostile);
    await expect.poll(() => page.locator(".panel :is(img, b, script)").count()).toBe(0);
    expect(await page.evaluate(() => Reflect.get(window, "broken"))).toBeUndefined();
    expect(broken.filter((problem) => !problem.includes("ERR_FAILED"))).toEqual([]);
  });

  it("support right-to-left pages", async () => {
    const { page } = await site.visitForm([...ride, consent], {
      visit: { attributes: { "data-locale": "ar", "data-theme": "dark" }, context: phone },
    });
    await submit(page);
    await page.locator(".problem").first().waitFor();
    await site.picture(page, "forms-rtl");
    await chooseFile(page.locator("input[name=papers]"), "papers.pdf", Buffer.alloc(2_000_000));
    await page.locator(".file-name").waitFor();
    await page.locator(".submit-area").scrollIntoViewIfNeeded();
    await site.picture(page, "forms-rtl-end");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await measureOverflow(page)).toBe(0);
    await expect.poll(() => page.locator(".submit").innerText()).toBe("إرسال");
  });

  it("stay distinguishable with forced colors", async () => {
    const { page } = await site.visitForm(ride, {
      visit: { context: { forcedColors: "active", viewport: { width: 1000, height: 860 } } },
    });
    await submit(page);
    await page.locator(".problem").first().waitFor();
    await site.picture(page, "forms-forced-colors");
    const border = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).borderTopWidth);
    expect([await border(".submit"), await border(".input"), await border(".file")]).toEqual(["1px", "1px", "1px"]);
  });

  it("are scrolled to their top, and do not scroll while the visitor is typing", async () => {
    const { page, agentId } = await site.visit({}, { context: { viewport: { width: 1000, height: 700 } } });
    await openChat(page);
    const tool = await site.addForm(agentId, ride);
    await showForm(page, tool.id);
    const isSeen = (target: Page, selector: string) =>
      target.locator(selector).evaluate((element) => {
        const box = element.getBoundingClientRect();
        const room = element.closest(".scroll")?.getBoundingClientRect();
        return room !== undefined && box.top >= room.top && box.bottom <= room.bottom;
      });
    await expect.poll(() => isSeen(page, ".form-title")).toBe(true);
    await expect.poll(() => page.locator(".to-end").count()).toBe(0);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("E-mail").fill("ada@shop.example");
    await page.getByLabel("Anything else?").fill("One");
    await page.locator(".scroll").evaluate((element) => element.scrollTo(0, element.scrollHeight));
    const before = await page.locator(".scroll").evaluate((element) => element.scrollTop);
    await page.getByLabel("Anything else?").pressSequentially("\ntwo\nthree\nfour");
    await expect.poll(() => page.locator(".scroll").evaluate((element) => element.scrollTop)).toBe(before);
    await submit(page);
    await sent(page);
    await expect.poll(() => isSeen(page, ".form-title")).toBe(true);
  });
});
