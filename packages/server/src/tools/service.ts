import type { Tool, ToolChanges, ToolCreate, ToolLimits } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Drafts, Editor } from "../agents/editor.ts";
import type { AgentService } from "../agents/service.ts";
import type { Principal } from "../auth/sessions/authenticate.ts";
import { isDuplicate, isMissingReference } from "../db/database-errors.ts";
import { hasDraft, inDraft } from "../db/draft-tables.ts";
import type { Tables, ToolRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { AppError, checkAllSequentially, notFound } from "../errors.ts";
import type { PartialBody } from "../http/body-rules.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import { isId, newId } from "../ids.ts";
import { readLimits } from "../plans/plan-limits.ts";
import { emptyTool, type ToolSettings, toColumns, toSettings, toTool } from "./columns.ts";
import { checkPatternSpeed } from "./form/form-pattern.ts";
import type { MailRecipients } from "./form/mail-recipients.ts";
import { createRecipientCheck } from "./form/recipient-check.ts";
import { checkTool } from "./rules.ts";
import type { SecretService } from "./secrets/service.ts";
import { checkSecretUse, unboundSecretUse } from "./secrets/tool-secrets.ts";
import { createEditedTools, createToolStore, type ToolStore } from "./store.ts";
import { createToolErrorList } from "./tool-errors.ts";
import { createToolWarnings } from "./tool-warnings.ts";

export type ToolService = ReturnType<typeof createToolService>;

/** `onDelete` is called with the tool's agent after a tool was deleted. */
export function createToolService(
  { db, outbound, mailer }: Pick<Deps, "db" | "outbound" | "mailer">,
  services: {
    agents: AgentService;
    drafts: Drafts;
    mailRecipients: MailRecipients;
    secrets: Pick<SecretService, "unbound" | "hostsOf">;
  },
  onDelete: (agentId: string) => void,
) {
  const { agents, drafts, mailRecipients, secrets } = services;
  const store = createToolStore(db);
  const edited = createEditedTools(db);
  const checkSettings = createSettingsCheck(outbound, createRecipientCheck(db, mailRecipients));
  const withWarnings = createToolWarnings(mailer, mailRecipients, secrets);

  async function existing(organizationId: string, id: string): Promise<ToolRow> {
    const row = isId("tool", id) ? await edited.get(organizationId, id) : undefined;
    if (!row) throw notFound("Tool");
    return row;
  }

  async function withWarning(organizationId: string, tool: Tool): Promise<Tool> {
    return (await withWarnings(organizationId, [tool]))[0] ?? tool;
  }

  /** Checks a tool as a whole. `before` is its previous state. */
  async function check(
    principal: Principal,
    { before, after, given }: { before: ToolRow | null; after: ToolRow; given: ToolSettings },
  ) {
    await checkSettings(after, given);
    await checkSecretUse(secrets, principal, { before, after });
  }

  /** The row of a new tool, checked. @throws 400, or 403 */
  async function prepareNew(principal: Principal, { agentId, ...input }: ToolCreate): Promise<ToolRow> {
    const given = toSettings(input);
    const settings = newTool(principal.organizationId, { agentId, ...input }, given);
    const row = { ...settings, mayUseUnboundSecrets: unboundSecretUse(principal, null, settings) };
    await check(principal, { before: null, after: row, given });
    return row;
  }

  /** The columns that `input` changes, checked with the others. @throws 400, or 403 */
  async function prepareChange(principal: Principal, row: ToolRow, input: ToolChanges): Promise<Partial<ToolRow>> {
    const given = toSettings(input);
    const columns = toColumns(given);
    const changes = {
      ...columns,
      ...disabledSince(row, given),
      mayUseUnboundSecrets: unboundSecretUse(principal, row, { ...row, ...columns }),
      updatedAt: Date.now(),
    };
    await check(principal, { before: row, after: { ...row, ...changes }, given });
    return changes;
  }

  return {
    existing,
    prepareNew,
    prepareChange,
    /** The tools as members edit them. */
    rows: edited.list,
    /** Inserts a tool that `prepareNew` returned. The agent must be locked. @throws 403, or 409 */
    async insertIn(trx: Transaction<Tables>, { plan }: Pick<Principal, "plan">, row: ToolRow): Promise<void> {
      const { toolsPerAgent } = readLimits(plan);
      if (!(await store.insert(trx, row, toolsPerAgent))) throw limitReached(plan, toolsPerAgent);
    },
    /** Writes changes that `prepareChange` returned. The agent must be locked. @throws 409 */
    async updateIn(trx: Transaction<Tables>, row: ToolRow, changes: Partial<ToolRow>): Promise<void> {
      await store.update(trx, row, changes);
    },
    async deleteIn(trx: Transaction<Tables>, row: ToolRow): Promise<void> {
      await store.delete(trx, row);
    },
    async list(organizationId: string, agentId: string): Promise<Tool[]> {
      await agents.get(organizationId, agentId);
      return withWarnings(organizationId, (await edited.list(organizationId, agentId)).map(toTool));
    },
    errors: createToolErrorList({ db }, agents),
    async get(organizationId: string, id: string): Promise<Tool> {
      return withWarning(organizationId, toTool(await existing(organizationId, id)));
    },
    async limits({ organizationId, plan }: Principal, agentId: string | undefined): Promise<ToolLimits> {
      if (agentId !== undefined) await agents.get(organizationId, agentId);
      const current = await edited.count(organizationId, agentId ?? null);
      const limit = readLimits(plan).toolsPerAgent;
      return { current, limit, planId: plan, canCreate: limit === null || current < limit };
    },
    async create(
      principal: Principal,
      input: ToolCreate,
      { editor, keep }: { editor: Editor; keep?: SaveResponse | undefined },
    ): Promise<Tool> {
      const { organizationId, plan } = principal;
      const { agentId } = input;
      await agents.get(organizationId, agentId);
      const row = await prepareNew(principal, input);
      const tool = await withWarning(organizationId, toTool(row));
      const { toolsPerAgent } = readLimits(plan);
      await drafts
        .edit({ organizationId, agentId, editor }, async (trx) => {
          if (!(await store.insert(trx, row, toolsPerAgent))) throw limitReached(plan, toolsPerAgent);
          await keep?.(trx, agentId, tool);
        })
        .catch(refuseDuplicate(tool.name));
      return tool;
    },
    ...partChecks(existing, checkSettings),
    async duplicate({ organizationId, plan }: Principal, id: string, editor: Editor): Promise<Tool> {
      const source = await existing(organizationId, id);
      const copy = await drafts.edit({ organizationId, agentId: source.agentId, editor }, (trx) =>
        duplicateTool(store, trx, { plan, source }),
      );
      return withWarning(organizationId, toTool(copy));
    },
    /** See `copyTools`. */
    copyAll: (trx: Transaction<Tables>, agents: CopiedAgent) => copyTools(store, trx, agents),
    async update(
      principal: Principal,
      id: string,
      { input, editor }: { input: ToolChanges; editor: Editor },
    ): Promise<Tool> {
      const { organizationId } = principal;
      const row = await existing(organizationId, id);
      const changes = await prepareChange(principal, row, input);
      const updated = await drafts
        .edit({ organizationId, agentId: row.agentId, editor }, (trx) => store.update(trx, row, changes))
        .catch(refuseDuplicate(input.name ?? row.name));
      if (!updated) throw notFound("Tool");
      return withWarning(organizationId, toTool(updated));
    },
    async delete(organizationId: string, id: string, editor: Editor): Promise<void> {
      const row = await existing(organizationId, id);
      await drafts.edit({ organizationId, agentId: row.agentId, editor }, async (trx) => {
        if (!(await store.delete(trx, row))) throw notFound("Tool");
      });
      onDelete(row.agentId);
    },
  };
}

type SettingsCheck = ReturnType<typeof createSettingsCheck>;

/** Checks the given settings of a tool. `unknown`: see `checkTool`. @throws 400 with the path of every problem */
function createSettingsCheck(outbound: Deps["outbound"], checkRecipients: ReturnType<typeof createRecipientCheck>) {
  return (tool: ToolRow, given: ToolSettings, unknown: ReadonlySet<string> = new Set()): Promise<void> =>
    checkAllSequentially([
      () => checkTool(toTool(tool), given, { checkUrl: (url) => outbound.checkUrl(url), unknown }),
      () => given.formSchema && checkPatternSpeed(tool.organizationId, given.formSchema.fields),
      () => checkRecipients(tool.organizationId, given),
    ]);
}

/** Checks that apply to the usable part of a body that its schema refuses. */
function partChecks(existing: (organizationId: string, id: string) => Promise<ToolRow>, checkSettings: SettingsCheck) {
  return {
    /** @throws 400 */
    async checkPartOfNew(organizationId: string, { body, refused }: PartialBody<ToolCreate>): Promise<void> {
      const given = { inputSchema: {}, ...toSettings(body) };
      await checkSettings(newTool(organizationId, { ...requiredSettings, ...body }, given), given, refused);
    },
    /** @throws 400, or 404 */
    async checkPart(organizationId: string, id: string, { body, refused }: PartialBody<ToolChanges>): Promise<void> {
      const given = toSettings(body);
      await checkSettings({ ...(await existing(organizationId, id)), ...toColumns(given) }, given, refused);
    },
  };
}

/** Placeholders for required settings that an incomplete body lacks. */
const requiredSettings = { agentId: "", name: "", description: "", executionType: "mock", inputSchema: {} } as const;

const MAX_NAME = 64;
/** Tool names consist of letters and underscores, so further copies are distinguished by a letter. */
const copySuffixes = ["_copy", ..."bcdefghijklmnopqrstuvwxyz"].map((text, index) =>
  index === 0 ? text : `_copy_${text}`,
);

/** Copies a tool within its agent under the first free name. Its signing secret is not copied. */
async function duplicateTool(
  store: ToolStore,
  trx: Transaction<Tables>,
  { plan, source }: { plan: string; source: ToolRow },
): Promise<ToolRow> {
  const taken = new Set((await store.listAll(trx, source.agentId)).map(({ name }) => name));
  const names = copySuffixes.map((suffix) => `${source.name.slice(0, MAX_NAME - suffix.length)}${suffix}`);
  const name = names.find((candidate) => !taken.has(candidate)) ?? source.name;
  const now = Date.now();
  const copy: ToolRow = { ...source, id: newId("tool"), name, createdAt: now, updatedAt: now };
  const { toolsPerAgent } = readLimits(plan);
  if (!(await store.insert(trx, copy, toolsPerAgent))) throw limitReached(plan, toolsPerAgent);
  return copy;
}

type CopiedAgent = { from: string; to: string };

/**
 * Copies an agent's tools, as members edit them, to a new agent. Their signing secrets are not copied. @returns the new ids by the old ones
 */
async function copyTools(store: ToolStore, trx: Transaction<Tables>, { from, to }: CopiedAgent) {
  const ids = new Map<string, string>();
  const now = Date.now();
  const source = (await hasDraft(trx, from)) ? inDraft(trx) : trx;
  for (const row of await store.listAll(source, from)) {
    const id = newId("tool");
    ids.set(row.id, id);
    await store.insertCopy(trx, { ...row, id, agentId: to, createdAt: now, updatedAt: now });
  }
  return ids;
}

function newTool(organizationId: string, input: ToolCreate, given: ToolSettings): ToolRow {
  const now = Date.now();
  return {
    ...emptyTool,
    ...toColumns(given),
    disabledAt: given.isEnabled === false ? now : null,
    id: newId("tool"),
    organizationId,
    agentId: input.agentId,
    name: input.name,
    description: input.description,
    executionType: input.executionType,
    inputSchema: JSON.stringify(given.inputSchema),
    createdAt: now,
    updatedAt: now,
  };
}

/** Visitors may still submit forms for a while after the form was disabled, so the time is recorded. */
function disabledSince(row: ToolRow, { isEnabled }: ToolSettings): Pick<ToolRow, "disabledAt"> | undefined {
  if (isEnabled === undefined) return undefined;
  if (isEnabled !== false) return { disabledAt: null };
  return row.isEnabled === 1 ? { disabledAt: Date.now() } : undefined;
}

/** The plan allows no more tools for the agent. */
export function limitReached(plan: string, toolsPerAgent: number | null) {
  return new AppError(
    "TOOL_LIMIT_REACHED",
    `The plan ${plan} allows ${toolsPerAgent} tools for each agent. Delete one, or choose a larger plan.`,
  );
}

/** Turns the error of a taken name into a conflict. */
export function refuseDuplicate(name: string) {
  return (error: unknown): never => {
    if (isMissingReference(error)) throw notFound("Agent");
    if (!isDuplicate(error)) throw error;
    const details = [
      { path: "name", code: "duplicate" as const, message: "is already the name of another tool of this agent" },
    ];
    throw new AppError("DUPLICATE_TOOL_NAME", `This agent already has a tool named ${name}.`, { details });
  };
}
