import type { ContentChange } from "@foyer/contract/rules/compare-contents";
import { toolTitle } from "../../../components/tool-title.ts";

/** What a change concerns: the agent, a tool or a trigger. `setting` is null if that was added or removed as a whole. */
export type ChangePlace = { subject: string; setting: string | null };

/** Settings whose field in the dashboard has another name than the API. */
const names: Record<string, string> = {
  askRating: "Conversations to rate",
  ratingQuestion: "Rating question",
  allowedImageHosts: "Allowed image hosts",
  allowedOrigins: "Allowed sites",
  budgetMessage: "Message when the budget is used up",
  executionType: "Kind",
  fallbackModels: "Fallback models",
  followUps: "Follow-up questions",
  formPostActions: "Actions after a submission",
  formSchema: "Form fields",
  inputSchema: "Inputs",
  isEnabled: "Enabled",
  linkHosts: "Allowed link hosts",
  maxOutputTokens: "Longest reply (tokens)",
  mockResponse: "Canned answer",
  pageQuery: "Query parameters",
  pageSuggestions: "Suggestions by page",
  recipientIds: "Recipients",
  requireIdentity: "Require signed identities",
  systemPrompt: "System prompt",
  teamId: "Team",
  tellModel: "What the AI may know",
  triggerOnce: "Once per visit",
  triggerType: "Condition",
  actionType: "Action",
  actionConfig: "Action",
};

/** A trigger's name may contain dots, so the path is split at the first of its settings. */
const triggerPath =
  /^(.+?)\.(name|description|triggerType|conditions|actionType|actionConfig|triggerOnce|isEnabled|priority|formTool)(?:\.(.*))?$/;

/** Names the place of a change in the words of the dashboard. */
export function describePlace({ path }: Pick<ContentChange, "path">): ChangePlace {
  const [kind, ...rest] = path.split(".");
  if (kind === "tools") {
    const [tool = "", ...setting] = rest;
    return { subject: `Tool ${toolTitle(tool)}`, setting: setting.length > 0 ? describeSetting(setting) : null };
  }
  if (kind === "triggers") {
    const whole = rest.join(".");
    const [, name = whole, setting, inner] = triggerPath.exec(whole) ?? [];
    const parts = [setting, ...(inner?.split(".") ?? [])].filter((part) => part !== undefined);
    return { subject: `Trigger ${name}`, setting: parts.length > 0 ? describeSetting(parts) : null };
  }
  const [first = "", ...inner] = rest;
  if (first === "widget" || first === "images") return { subject: "Appearance", setting: describeSetting(inner) };
  if (first === "handoff") return { subject: "Handoff", setting: describeSetting(inner) };
  return { subject: "Agent", setting: describeSetting(rest) };
}

function describeSetting(parts: readonly string[]): string {
  return parts.map((part) => names[part] ?? toWords(part)).join(", ");
}

/** `accentColor` becomes `Accent color`. */
function toWords(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value as the text that is compared: `On`, a number, a text, or JSON on several lines. Null if there is none. */
export function describeValue(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "boolean") return value ? "On" : "Off";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string"))
    return value.length === 0 ? null : value.join("\n");
  return JSON.stringify(value, null, 2);
}
