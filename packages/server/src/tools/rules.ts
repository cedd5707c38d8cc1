import type { Tool } from "@foyer/contract";
import { invalid } from "../errors.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ToolSettings } from "./columns.ts";
import { checkDisplayConfig } from "./display/display-config-rules.ts";
import { checkFormSchema } from "./form/form-rules.ts";
import { checkPostActions } from "./form/post-action-rules.ts";
import { checkHeaders } from "./http/header-rules.ts";
import { checkHttpUrl } from "./http/http-template.ts";
import { checkInputSchema } from "./schema/input-schema.ts";

/**
 * Checks what was given, and that the tool as a whole has what its kind needs. What was kept before and is not given
 * again is not checked again. @throws 400 with the field's path
 */
export function checkTool(tool: Tool, given: ToolSettings, checkUrl: (url: string) => void): void {
  const address = (path: string, url: string) => asInvalid(path, () => checkUrl(url));
  if (given.inputSchema !== undefined) checkInputSchema(given.inputSchema);
  if (given.displayConfig) checkDisplayConfig(given.displayConfig);
  if (given.httpUrl) checkHttpUrl(given.httpUrl, { checkUrl });
  if (given.httpHeaders) checkHeaders("httpHeaders", given.httpHeaders);
  if (given.formSchema) checkFormSchema(given.formSchema);
  if (given.formWebhookUrl) address("formWebhookUrl", given.formWebhookUrl);
  if (given.formPostActions) checkPostActions(given.formPostActions, checkUrl);
  if (given.formSchema || given.formConfirmation) checkConfirmation(tool);
  if (tool.executionType === "http" && !tool.httpUrl)
    throw invalid("httpUrl", "is required for an http tool", "required");
  if (tool.executionType === "form" && !tool.formSchema)
    throw invalid("formSchema", "is required for a form tool", "required");
}

function checkConfirmation({ formConfirmation, formSchema }: Tool) {
  if (!formConfirmation) return;
  const field = formSchema?.fields.find(({ name }) => name === formConfirmation.emailField);
  if (field?.type !== "email")
    throw invalid("formConfirmation.emailField", "must name an email field of the form", "unknown_reference");
}

function asInvalid(path: string, check: () => void) {
  try {
    check();
  } catch (error) {
    throw error instanceof OutboundError ? invalid(path, error.message, "format") : error;
  }
}
