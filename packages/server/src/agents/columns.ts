import type {
  Agent,
  AgentChanges,
  AgentImageKind,
  AgentRollout,
  AgentSummary,
  AgentWidget,
  Retention,
} from "@foyer/contract";
import { pagePatternProblem } from "@foyer/contract/rules/match-page";
import type { AgentRow } from "../db/tables.ts";
import { checkAll, invalid } from "../errors.ts";
import { applyAttachmentChanges, parseAttachmentSettings } from "./attachment-settings.ts";
import { applyHandoffChanges, checkHandoff, parseHandoff, toWidgetHandoff } from "./handoff.ts";
import { normalizeFactPaths } from "./identity/tell-model.ts";
import { resolveRetention } from "./retention.ts";
import { parseRollout } from "./rollout.ts";
import type { AgentSummaryRow } from "./store.ts";

const DEFAULT_TEMPERATURE = 70;

/** The columns of an agent that has no version and no draft yet. */
export const unversioned = {
  liveVersion: null,
  liveHash: null,
  liveIsUsed: 0,
  publishing: "immediate",
  publishRequiresTests: 0,
  draft: "{}",
  draftHash: null,
  rollout: null,
} as const;

/** The columns of an agent that was created with nothing but a name. */
export const columnDefaults = {
  model: null,
  fallbackModels: "[]",
  reasoning: "default",
  maxOutputTokens: null,
  systemPrompt: null,
  temperature: DEFAULT_TEMPERATURE,
  widget: "{}",
  allowedOrigins: "[]",
  allowedImageHosts: "[]",
  linkHosts: "[]",
  pageQuery: "[]",
  followUps: 0,
  requireIdentity: 0,
  tellModel: "[]",
  monthlyTokenBudget: null,
  monthlyCostBudget: null,
  budgetMessage: null,
  resolveAfter: null,
  resolveMessage: null,
  askRating: null,
  ratingQuestion: null,
  retention: "{}",
  handoff: "{}",
  attachments: "{}",
  logoVersion: null,
  avatarVersion: null,
  launcherVersion: null,
  ...unversioned,
} as const;

/** Checks what the schema of the body cannot express. @throws 400 with the path of a problem in each list */
export function checkAgent(input: AgentChanges): void {
  const { allowedOrigins, allowedImageHosts, linkHosts, tellModel, widget, handoff } = input;
  checkAll([
    () => checkPagePatterns(widget?.pageSuggestions ?? []),
    () => normalizeOrigins(allowedOrigins ?? []),
    () => normalizeImageHosts(allowedImageHosts ?? []),
    () => normalizeLinkHosts(linkHosts ?? []),
    () => normalizeFactPaths(tellModel ?? []),
    () => checkHandoff(handoff ?? {}),
  ]);
}

type Settings = Omit<AgentChanges, "name">;
type Current = Pick<AgentRow, "handoff" | "attachments">;

/** How each setting is stored in the column of its name. `null` restores the default. */
const converters: {
  [Name in keyof Settings & keyof AgentRow]-?: (
    value: Exclude<Settings[Name], undefined>,
    current: Current,
  ) => AgentRow[Name];
} & { [Name in keyof Settings]-?: unknown } = {
  model: (value) => value,
  fallbackModels: (value) => JSON.stringify(value ?? []),
  reasoning: (value) => value ?? "default",
  maxOutputTokens: (value) => value,
  systemPrompt: (value) => value,
  temperature: (value) => value ?? DEFAULT_TEMPERATURE,
  widget: (value) => JSON.stringify(value ?? {}),
  allowedOrigins: (value) => JSON.stringify(normalizeOrigins(value ?? [])),
  allowedImageHosts: (value) => JSON.stringify(normalizeImageHosts(value ?? [])),
  linkHosts: (value) => JSON.stringify(normalizeLinkHosts(value ?? [])),
  pageQuery: (value) => JSON.stringify([...new Set(value ?? [])]),
  requireIdentity: (value) => (value ? 1 : 0),
  tellModel: (value) => JSON.stringify(normalizeFactPaths(value ?? [])),
  followUps: (value) => (value ? 1 : 0),
  monthlyTokenBudget: (value) => value,
  monthlyCostBudget: (value) => value,
  budgetMessage: (value) => value,
  resolveAfter: (value) => value,
  resolveMessage: (value) => value?.trim() || null,
  askRating: (value) => value,
  ratingQuestion: (value) => value?.trim() || null,
  publishing: (value) => value ?? "immediate",
  publishRequiresTests: (value) => (value ? 1 : 0),
  retention: (value) => JSON.stringify(value ?? {}),
  handoff: (value, current) => applyHandoffChanges(current.handoff, value),
  attachments: (value, current) => applyAttachmentChanges(current.attachments, value),
};

/**
 * Converts the given settings to columns. Absent settings are omitted. The settings of handoffs and attachments are merged
 * into `current`, which are those of the agent so far.
 * @throws 400
 */
export function toColumns(input: AgentChanges, current: Current = columnDefaults): Partial<AgentRow> {
  checkAgent(input);
  const given = Object.entries(converters).filter(([name]) => input[name as keyof Settings] !== undefined);
  return Object.fromEntries(
    given.map(([name, convert]) => [
      name,
      (convert as (value: unknown, current: Current) => unknown)(input[name as keyof Settings], current),
    ]),
  );
}

function checkPagePatterns(lists: ReadonlyArray<{ page: string }>) {
  for (const [index, { page }] of lists.entries()) {
    const problem = pagePatternProblem(page);
    if (problem) throw invalid(`widget.pageSuggestions.${index}.page`, problem, "pattern");
  }
}

function normalizeOrigins(values: string[]) {
  return values.map((value, index) => {
    const url = URL.parse(value);
    const isOrigin = url && /^https?:$/.test(url.protocol) && value.replace(/\/$/, "").toLowerCase() === url.origin;
    if (!isOrigin) throw invalid(`allowedOrigins.${index}`, "must be an origin such as https://shop.example", "format");
    return url.origin;
  });
}

function normalizeImageHosts(values: string[]) {
  return values.map((value, index) => {
    const url = URL.parse(`https://${value}`);
    // The URL parser accepts `;` and `,` in a host, which could add directives to a Content-Security-Policy.
    if (url?.host !== value.toLowerCase() || !/^[a-z0-9.-]+(:\d+)?$/.test(url.host))
      throw invalid(`allowedImageHosts.${index}`, "must be a host such as images.example", "format");
    return url.host;
  });
}

/** Subdomains are allowed too, so a top-level domain alone would allow almost every host. */
function normalizeLinkHosts(values: string[]) {
  const hosts = values.map((value, index) => {
    const hostname = URL.parse(`https://${value}`)?.hostname;
    if (hostname !== value.toLowerCase() || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(hostname))
      throw invalid(`linkHosts.${index}`, "must be a host such as docs.example, without a scheme or port", "format");
    return hostname;
  });
  return [...new Set(hosts)];
}

/** The defaults for agents that have no setting of their own. */
export type AgentDefaults = { modelId: string; retention: Retention };

/** @param defaultModelId the model of agents that have not chosen one */
export function toSummary(row: AgentSummaryRow, defaultModelId: string): AgentSummary {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    model: row.model ?? defaultModelId,
    modelIsDefault: row.model === null,
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

export function toAgent(row: AgentRow, defaults: AgentDefaults): Agent {
  return {
    ...toSummary(row, defaults.modelId),
    systemPrompt: row.systemPrompt,
    temperature: row.temperature,
    fallbackModels: JSON.parse(row.fallbackModels),
    reasoning: row.reasoning,
    maxOutputTokens: row.maxOutputTokens,
    widget: JSON.parse(row.widget),
    images: toImages(row),
    allowedOrigins: JSON.parse(row.allowedOrigins),
    allowedImageHosts: JSON.parse(row.allowedImageHosts),
    linkHosts: JSON.parse(row.linkHosts),
    pageQuery: JSON.parse(row.pageQuery),
    requireIdentity: row.requireIdentity === 1,
    tellModel: JSON.parse(row.tellModel),
    followUps: row.followUps === 1,
    handoff: parseHandoff(row),
    attachments: parseAttachmentSettings(row),
    monthlyTokenBudget: row.monthlyTokenBudget,
    monthlyCostBudget: row.monthlyCostBudget,
    budgetMessage: row.budgetMessage,
    resolveAfter: row.resolveAfter,
    resolveMessage: row.resolveMessage,
    askRating: row.askRating,
    ratingQuestion: row.ratingQuestion,
    retention: resolveRetention(row, defaults.retention),
    publishing: row.publishing,
    publishRequiresTests: row.publishRequiresTests === 1,
    liveVersion: row.liveVersion ?? 0,
    rollout: toRollout(row),
    draftHash: row.draftHash ?? row.liveHash ?? "",
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

function toRollout(row: AgentRow): AgentRollout | null {
  const rollout = parseRollout(row);
  return rollout && { version: rollout.version, percent: rollout.percent };
}

/** The settings that every visitor may read. */
export function toAgentWidget(row: AgentRow, { canEmail }: { canEmail: boolean }): AgentWidget {
  return {
    id: row.id,
    name: row.name,
    widget: JSON.parse(row.widget),
    images: toImages(row),
    allowedImageHosts: JSON.parse(row.allowedImageHosts),
    pageQuery: JSON.parse(row.pageQuery),
    requireIdentity: row.requireIdentity === 1,
    attachments: parseAttachmentSettings(row),
    handoff: toWidgetHandoff(row, { now: Date.now(), canEmail }),
    ...(row.askRating === null ? {} : { rating: { question: row.ratingQuestion } }),
  };
}

export const imageKinds = ["logo", "avatar", "launcher"] as const satisfies readonly AgentImageKind[];

/** The column of the agent that says which image of a kind it has. */
export const imageColumns = {
  logo: "logoVersion",
  avatar: "avatarVersion",
  launcher: "launcherVersion",
} as const satisfies Record<AgentImageKind, keyof AgentRow>;

type ImageVersions = Pick<AgentRow, "id" | "logoVersion" | "avatarVersion" | "launcherVersion">;

/** The paths change with the content, so that browsers can cache each image forever. */
function toImages({ id, logoVersion, avatarVersion, launcherVersion }: ImageVersions): Agent["images"] {
  const imagePath = (kind: AgentImageKind, version: string | null) =>
    version && `/agents/${id}/images/${kind}?v=${version}`;
  return {
    logo: imagePath("logo", logoVersion),
    avatar: imagePath("avatar", avatarVersion),
    launcher: imagePath("launcher", launcherVersion),
  };
}
