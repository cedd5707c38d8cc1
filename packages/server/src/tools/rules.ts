import type { Tool } from "@foyer/contract";
import { findInputNames, isReservedInput } from "@foyer/contract/rules/url-template";
import { AppError, checkAll, invalid } from "../errors.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ToolSettings } from "./columns.ts";
import { checkDisplayConfig } from "./display/display-config-rules.ts";
import { checkFormSchema } from "./form/form-rules.ts";
import { checkPostActions } from "./form/post-action-rules.ts";
import { checkBodyTemplate, checkBoundNames, checkBraces } from "./http/body-rules.ts";
import { checkHeaders } from "./http/header-rules.ts";
import { checkHttpUrl } from "./http/http-template.ts";
import { checkInputSchema } from "./schema/input-schema.ts";

type Checks = {
  /** throws an OutboundError for a URL that must not be called */
  checkUrl: (url: string) => void;
  /** settings whose values are unknown, so that nothing is compared with them */
  unknown: ReadonlySet<string>;
};

/**
 * Checks the given settings, and that the tool as a whole has what its kind needs. Stored settings that are not given
 * again are not checked again. @throws 400 with the path of every problem
 */
export function checkTool(tool: Tool, given: ToolSettings, { checkUrl, unknown }: Checks): void {
  const { inputSchema, displayConfig, httpUrl, httpHeaders, formSchema, formWebhookUrl, formPostActions } = given;
  const isKnown = (...names: (keyof ToolSettings)[]) => !names.some((name) => unknown.has(name));
  const changesInputs = httpUrl !== undefined || inputSchema !== undefined;
  const { clientResultSchema } = given;
  checkAll([
    () => inputSchema !== undefined && checkInputSchema(inputSchema),
    () => clientResultSchema && checkResultSchema(clientResultSchema),
    () => inputSchema !== undefined && checkInputNames(inputSchema),
    () => given.httpBody && isKnown("inputSchema") && checkBodyTemplate(given.httpBody, declaredNames(tool)),
    () => displayConfig && checkDisplayConfig(displayConfig),
    () => httpUrl && checkHttpUrl(httpUrl, { checkUrl }),
    () => httpUrl && checkBoundNames("httpUrl", [httpUrl]),
    () => httpUrl && checkBraces("httpUrl", httpUrl),
    () => changesInputs && isKnown("executionType", "inputSchema") && checkUrlInputs(tool),
    () => httpHeaders && checkHeaders("httpHeaders", httpHeaders),
    () => httpHeaders && checkBoundNames("httpHeaders", Object.values(httpHeaders)),
    () => formSchema && checkFormSchema(formSchema),
    () => formWebhookUrl && rethrowAsInvalid("formWebhookUrl", () => checkUrl(formWebhookUrl)),
    () => formPostActions && checkPostActions(formPostActions, checkUrl),
    () => (formSchema || given.formConfirmation) && isKnown("formSchema") && checkConfirmation(tool),
    () => isKnown("executionType") && checkKind(tool),
  ]);
}

function checkKind({ executionType, httpUrl, formSchema }: Tool) {
  if (executionType === "http" && !httpUrl) throw invalid("httpUrl", "is required for an http tool", "required");
  if (executionType === "form" && !formSchema) throw invalid("formSchema", "is required for a form tool", "required");
}

/** Inputs that the schema does not declare are never sent, so a call with such a placeholder would always fail. */
function checkUrlInputs({ executionType, httpUrl, inputSchema }: Tool) {
  if (executionType !== "http" || !httpUrl) return;
  const declared = declaredNames({ inputSchema });
  if (declared === null) return;
  const unknown = findInputNames(httpUrl).filter((name) => !declared.has(name) && !isReservedInput(name));
  checkAll(
    unknown.map((name) => () => {
      throw invalid("httpUrl", `uses {${name}}, which is not a property of inputSchema`, "unknown_reference");
    }),
  );
}

/** The rules of an input schema, with the problems at their own path. */
function checkResultSchema(schema: Record<string, unknown>) {
  try {
    checkInputSchema(schema);
  } catch (error) {
    const [detail] = error instanceof AppError ? (error.details ?? []) : [];
    if (!detail) throw error;
    throw invalid(detail.path.replace(/^inputSchema/, "clientResultSchema"), detail.message, detail.code);
  }
}

/** The names of the inputs that the model may send; null when it may send any. */
function declaredNames({ inputSchema }: Pick<Tool, "inputSchema">): Set<string> | null {
  const { properties, additionalProperties } = inputSchema as { properties?: object; additionalProperties?: unknown };
  return additionalProperties ? null : new Set(Object.keys(properties ?? {}));
}

/** An input whose name looks like a server value would be mistaken for that value in a template. */
function checkInputNames(inputSchema: Record<string, unknown>) {
  const { properties } = inputSchema as { properties?: object };
  const taken = Object.keys(properties ?? {}).filter(isReservedInput);
  checkAll(
    taken.map((name) => () => {
      throw invalid(
        `inputSchema.properties.${name}`,
        "is reserved for a value that the server fills in",
        "not_allowed",
      );
    }),
  );
}

function checkConfirmation({ formConfirmation, formSchema }: Tool) {
  if (!formConfirmation) return;
  const field = formSchema?.fields.find(({ name }) => name === formConfirmation.emailField);
  if (field?.type !== "email")
    throw invalid("formConfirmation.emailField", "must name an email field of the form", "unknown_reference");
}

function rethrowAsInvalid(path: string, check: () => void) {
  try {
    check();
  } catch (error) {
    throw error instanceof OutboundError ? invalid(path, error.message, "format") : error;
  }
}
