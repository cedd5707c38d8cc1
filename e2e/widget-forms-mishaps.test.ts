import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FormField } from "../packages/contract/src/index.ts";
import { type FormsSite, foyer, problems, sent, startFormsSite, submit } from "../test/widget-forms.ts";
import { ask, openChat, replyOver } from "../test/widget-site.ts";

const isRequired = { required: { value: true } };
const name: FormField = { name: "name", label: "Name", type: "text" };

describe("a form in the widget under unusual conditions", () => {
  let site: FormsSite;
  beforeAll(async () => {
    site = await startFormsSite();
  });
  beforeEach(() => {
    site.host.before("");
    site.receiver.received.splice(0);
    site.receiver.answer((_, response) => response.end("ok"));
  });
  afterAll(() => site.stop());

  it("reports a partial date instead of treating it as empty", async () => {
    const { page } = await site.visitForm([
      { name: "day", label: "Day", type: "date" },
      { name: "moment", label: "Moment", type: "datetime" },
    ]);
    await page.getByLabel("Day").pressSequentially("12");
    await page.getByLabel("Moment").pressSequentially("12");
    await submit(page);
    await expect
      .poll(() => problems(page))
      .toEqual(["Day: Day must be a date (2026-01-31)", "Moment: Moment must be a date and time (2026-01-31T09:30)"]);
    expect(site.receiver.bodies("/hook")).toEqual([]);
    await page.getByLabel("Moment").fill("2026-12-24T09:30");
    // The order of focus events decides which part of a date receives a key, so replace the whole value.
    await page.getByLabel("Day").fill("2026-12-24");
    await page.getByLabel("Day").fill("");
    await submit(page);
    await sent(page);
    expect(site.receiver.bodies("/hook")[0].formData).toEqual({ day: null, moment: "2026-12-24T09:30" });
  });

  it("stores nothing of a submission that finishes after a logout", async () => {
    site.host.before(
      "window.Foyer = [['registerFormHandler', 'book', () => new Promise((resolve) => { window.answer = resolve })]]",
    );
    const { page } = await site.visitForm([name], {
      tool: { formExecutionMode: "client", formClientHandler: "book" },
      visit: { attributes: { "data-user-id": "1" } },
    });
    await page.getByLabel("Name").fill("Ada");
    await submit(page);
    await page.waitForFunction(() => "answer" in window);
    await foyer(page, "logout");
    const over = page.evaluate(
      () =>
        new Promise((resolve) =>
          Reflect.get(window, "Foyer").on("form", (notice: { event: string }) => resolve(notice.event)),
        ),
    );
    await page.evaluate(() => Reflect.get(window, "answer")({ success: true, message: "Booked for Ada." }));
    expect(await over).toBe("submitted");
    expect(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]))).not.toContain("Ada");
  });

  it("replaces a visitor's value when its field becomes read-only", async () => {
    const email: FormField = { name: "email", label: "E-mail", type: "email", validation: isRequired };
    const { page } = await site.visitForm([{ ...email, disabled: true, defaultValue: "{{user.email}}" }]);
    await page.getByLabel("E-mail").fill("ada@");
    await submit(page);
    await expect.poll(() => problems(page)).toHaveLength(1);
    await foyer(page, "identify", { userId: "1", userEmail: "ada@shop.example" });
    await expect.poll(() => page.getByLabel("E-mail").inputValue()).toBe("ada@shop.example");
    await expect.poll(() => page.getByLabel("E-mail").getAttribute("readonly")).toBe("");
    await expect.poll(() => problems(page)).toEqual([]);
    await submit(page);
    await sent(page);
    expect(site.receiver.bodies("/hook")[0].formData).toEqual({ email: "ada@shop.example" });
  });

  it("tells screen readers that a group of options is required", async () => {
    const { page } = await site.visitForm([
      { name: "extras", label: "Extras", type: "multiselect", options: [{ label: "Helmet", value: "h" }] },
      {
        name: "bikes",
        label: "Bikes",
        type: "multiselect",
        options: [{ label: "City One", value: "c" }],
        validation: isRequired,
      },
      { name: "degrees", label: "Degrees", type: "number" },
      { name: "count", label: "Count", type: "number", validation: { min: { value: 0 } } },
    ]);
    const groups = await page.locator(".form").ariaSnapshot();
    expect(groups).toContain('group "Extras":');
    expect(groups).toContain('group "Bikes *":');
    const keyboard = (label: string) => page.getByLabel(label).getAttribute("inputmode");
    expect([await keyboard("Degrees"), await keyboard("Count")]).toEqual([null, "decimal"]);
  });

  describe("a form that was submitted elsewhere", () => {
    const comeBack = () => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));

    it("shows the confirmation of a form that was submitted elsewhere", async () => {
      const { page, agentId } = await site.visit();
      await site.addForm(agentId, [name]);
      site.callTools(["test_ride"], "Here it is.");
      await openChat(page);
      await ask(page, "I want a ride");
      await page.locator(".form").waitFor();
      await replyOver(page);
      await page.getByLabel("Name").fill("Ada");
      const other = await page.context().newPage();
      await other.goto(page.url());
      await openChat(other);
      await other.getByLabel("Name").fill("Ada");
      await submit(other);
      await sent(other);
      await page.evaluate(comeBack);
      await sent(page);
      expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("Ada");
    });

    it("hides a pinned form that was submitted elsewhere", async () => {
      const { page, agentId } = await site.visitForm([name]);
      await page.getByLabel("Name").fill("Ada");
      // The new tab starts with a copy of this tab's session storage.
      const opening = page.waitForEvent("popup");
      await page.evaluate(() => void window.open(location.href));
      const other = await opening;
      await other.locator(".form").waitFor();
      await expect.poll(() => other.getByLabel("Name").inputValue()).toBe("Ada");
      await submit(other);
      await sent(other);
      await page.evaluate(comeBack);
      await page.locator(".form").waitFor({ state: "detached" });
      await expect.poll(() => site.submissions(agentId)).toHaveLength(1);
    });
  });
});
