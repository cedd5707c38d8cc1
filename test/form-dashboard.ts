import type { Page } from "playwright-core";
import type { FormField, FormSubmissionDetail } from "../packages/contract/src/index.ts";
import { startDashboardSite } from "./dashboard-site.ts";
import type { TestDatabase } from "./databases.ts";
import { startReceiver } from "./webhook-receiver.ts";

export type FormDashboard = Awaited<ReturnType<typeof startFormDashboard>>;

export const testRideFields: FormField[] = [
  { name: "name", label: "Your name", type: "text", validation: { required: { value: true } } },
  {
    name: "bike",
    label: "Which bike?",
    type: "select",
    options: [
      { label: "The City One", value: "city-one" },
      { label: "Harbour Tourer", value: "tourer" },
      { label: "E-Ferry", value: "e-ferry" },
    ],
    validation: { required: { value: true } },
  },
  { name: "day", label: "When would you like to come?", type: "date", validation: { required: { value: true } } },
  { name: "email", label: "E-mail", type: "email", validation: { required: { value: true } } },
  { name: "note", label: "Anything we should know?", type: "textarea" },
  { name: "photo", label: "Photo of your old bike", type: "image" },
];

/** The dashboard of a shop whose agent has forms, and a receiver for their submissions. */
export async function startFormDashboard(options: { database?: TestDatabase; env?: Record<string, string> } = {}) {
  const env = { FOYER_SUBMIT_WAIT: "1s", FOYER_LIMIT_SUBMIT_PER_IP: "0", ...options.env };
  const site = await startDashboardSite({ ...options, env });
  const receiver = await startReceiver();
  return {
    ...site,
    receiver,
    async createAgent(page: Page): Promise<string> {
      return (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    },
    /** A form that delivers to the receiver's `/hook`; `more` overrides settings of the tool. */
    async createForm(page: Page, agentId: string, more: object = {}): Promise<{ id: string; name: string }> {
      return site.call(page, "POST", "/tools", {
        agentId,
        name: "test_ride",
        description: "Books a test ride",
        executionType: "form",
        inputSchema: { type: "object", properties: {} },
        formSchema: { fields: testRideFields },
        formWebhookUrl: `${receiver.url}/hook`,
        ...more,
      });
    },
    /** Submits a form like the widget. @returns the submission's id */
    async submit(toolId: string, formData: object, more: object = {}): Promise<string> {
      const response = await fetch(`${site.server.url}/form-submissions/submit`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ toolId, formData, fieldsCompleted: Object.keys(formData), ...more }),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(`not submitted: ${JSON.stringify(answer)}`);
      return answer.submissionId;
    },
    /** The events that a visitor causes before submitting a form. */
    async event(toolId: string, eventType: string, formInstanceId: string, fieldName?: string): Promise<void> {
      const response = await fetch(`${site.server.url}/form-submissions/event`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ toolId, eventType, formInstanceId, ...(fieldName ? { fieldName } : {}) }),
      });
      if (!response.ok) throw new Error(`not recorded: ${await response.text()}`);
    },
    detail: (page: Page, id: string): Promise<FormSubmissionDetail> =>
      site.call(page, "GET", `/form-submissions/${id}`),
    async stop() {
      await site.stop();
      await receiver.stop();
    },
  };
}

export const ride = (name: string, more: object = {}) => ({
  name,
  bike: "city-one",
  day: "2027-03-14",
  email: `${name.split(" ")[0]?.toLowerCase()}@example.com`,
  ...more,
});

/** An image of a single color, as a browser would send it. */
export const photo =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
