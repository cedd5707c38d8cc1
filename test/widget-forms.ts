import type { Page } from "playwright-core";
import type { FormField, FormSubmissionDetail } from "../packages/contract/src/index.ts";
import { startReceiver } from "./webhook-receiver.ts";
import { startWidgetSite } from "./widget-site.ts";

export type FormsSite = Awaited<ReturnType<typeof startFormsSite>>;

type FormTool = { id: string; name: string };

/** A site whose widget shows forms, and a receiver for their submissions. */
export async function startFormsSite() {
  const site = await startWidgetSite();
  const receiver = await startReceiver();

  /** A form tool that delivers to the receiver's `/hook`. `more` overrides settings of the tool. */
  async function addForm(agentId: string, fields: FormField[], more: object = {}): Promise<FormTool> {
    const { schema = {}, ...tool } = more as { schema?: object };
    const answer = await site.owner.call("POST", "/tools", {
      agentId,
      name: "test_ride",
      description: "Books a test ride",
      executionType: "form",
      inputSchema: { type: "object", properties: {} },
      formWebhookUrl: `${receiver.url}/hook`,
      formSchema: { fields, ...schema },
      ...tool,
    });
    if (answer.status !== 201) throw new Error(`no form: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  return {
    ...site,
    receiver,
    addForm,
    /** Opens a page whose widget shows this form as a trigger would. */
    async visitForm(fields: FormField[], options: { tool?: object; visit?: Parameters<typeof site.visit>[1] } = {}) {
      const opened = await site.visit({}, options.visit);
      const tool = await addForm(opened.agentId, fields, options.tool);
      await showForm(opened.page, tool.id);
      return { ...opened, tool };
    },
    async submissions(agentId: string): Promise<FormSubmissionDetail[]> {
      const { body } = await site.owner.call("GET", `/form-submissions?agentId=${agentId}`);
      return body.submissions;
    },
    async analytics(agentId: string) {
      const { body } = await site.owner.call("GET", `/form-submissions/analytics?agentId=${agentId}`);
      return body.analytics[0];
    },
    async stop() {
      await site.stop();
      await receiver.stop();
    },
  };
}

export async function showForm(page: Page, form: string): Promise<void> {
  await foyer(page, "open", { form });
  await page.locator(".form").last().waitFor();
}

/** Calls a method of `window.Foyer`. */
export function foyer(page: Page, name: string, ...args: unknown[]): Promise<unknown> {
  return page.evaluate(([name, args]) => Reflect.get(window, "Foyer")[name as string](...(args as unknown[])), [
    name,
    args,
  ] as const);
}

export const submit = (page: Page) => page.locator(".submit").click();
export const sent = (page: Page) => page.locator(".form.sent").waitFor();
/** The problems of the form's fields, each as `label: message`. */
export const problems = (page: Page) =>
  page
    .locator(".field:has(.problem)")
    .evaluateAll((fields) =>
      fields.map(
        (field) => `${field.querySelector("bdi")?.textContent}: ${field.querySelector(".problem")?.textContent}`,
      ),
    );
