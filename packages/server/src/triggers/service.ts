import type { Trigger, TriggerChanges, TriggerCreate } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Drafts, Editor } from "../agents/editor.ts";
import type { AgentService } from "../agents/service.ts";
import { isMissingReference } from "../db/database-errors.ts";
import { hasDraft, inDraft } from "../db/draft-tables.ts";
import type { TriggerRow } from "../db/tables/triggers.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid, notFound } from "../errors.ts";
import type { PartialBody } from "../http/body-rules.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import { isId, newId } from "../ids.ts";
import type { FormFinder } from "../tools/form/form-finder.ts";
import { toColumns, toTrigger, triggerDefaults } from "./columns.ts";
import { checkSettings, type TriggerSettings } from "./rules.ts";
import { createEditedTriggers, createTriggerStore, type TriggerStore } from "./store.ts";

/** The maximum number of triggers of an agent. It is limited because a page loads all of them. */
const MAX_PER_AGENT = 200;
const MAX_NAME = 200;
const COPY_SUFFIX = " (copy)";

export type TriggerService = ReturnType<typeof createTriggerService>;

/** `onChange` is called with the agent whose triggers changed, after the change was stored. */
export function createTriggerService(
  { db }: Pick<Deps, "db">,
  {
    agents,
    drafts,
    forms,
    onChange,
  }: { agents: AgentService; drafts: Drafts; forms: FormFinder; onChange: (agentId: string) => void },
) {
  const store = createTriggerStore(db);
  const edited = createEditedTriggers(db);

  async function findTrigger(organizationId: string, id: string): Promise<TriggerRow> {
    const row = isId("trigger", id) ? await edited.get(organizationId, id) : undefined;
    if (!row) throw notFound("Trigger");
    return row;
  }

  /**
   * Validates the settings and converts them to columns. `toolId` is the form to show.
   * @throws 400 when the agent has no such form
   */
  async function validate(owner: Pick<TriggerRow, "organizationId" | "agentId">, settings: TriggerSettings) {
    const { conditions, actionConfig } = checkSettings(settings);
    const { triggerType, actionType } = settings;
    const toolId = actionType === "show_form" ? String(actionConfig.toolId) : null;
    const form = toolId === null ? null : await forms.owned(owner.organizationId, toolId);
    if (form !== null && form?.agentId !== owner.agentId) throw noSuchFormError();
    const json = { conditions: JSON.stringify(conditions), actionConfig: JSON.stringify(actionConfig) };
    return { triggerType, actionType, toolId, ...json };
  }

  /** Retries with the current row after a concurrent change, so that each change is based on what it read. */
  async function change(
    organizationId: string,
    id: string,
    { changesOf, editor }: { changesOf: (trigger: Trigger) => TriggerChanges; editor: Editor },
  ) {
    for (;;) {
      const row = await findTrigger(organizationId, id);
      const trigger = toTrigger(row);
      const given = changesOf(trigger);
      const plain = toColumns({ isEnabled: trigger.isEnabled, ...given });
      // Skip the check for other changes, so that a disabled trigger can be renamed even after its form was deleted.
      const isChecked = plain.isEnabled === 1 || settingNames.some((name) => given[name] !== undefined);
      const settings = isChecked ? await validate(row, { ...trigger, ...given }) : {};
      const updatedAt = Math.max(Date.now(), row.updatedAt + 1);
      const place = { organizationId, agentId: row.agentId, editor };
      const updated = await drafts
        .edit(place, (trx) => store.update(trx, row, { ...plain, ...settings, updatedAt }))
        .catch(refuseMissingForm);
      if (!updated) continue;
      onChange(row.agentId);
      return toTrigger(updated);
    }
  }

  return {
    /** See `copyTriggers`. */
    copyAll: (trx: Transaction<Tables>, agents: CopiedAgent, toolIds: ReadonlyMap<string, string>) =>
      copyTriggers(store, trx, { ...agents, toolIds }),
    async list(organizationId: string, agentId: string): Promise<Trigger[]> {
      await agents.get(organizationId, agentId);
      return (await edited.list(organizationId, agentId)).map(toTrigger);
    },
    async get(organizationId: string, id: string): Promise<Trigger> {
      return toTrigger(await findTrigger(organizationId, id));
    },
    /** Checks the usable part of a body that changes a trigger. @throws 400, or 404 */
    async checkPart(organizationId: string, id: string, { body, refused }: PartialBody<TriggerChanges>): Promise<void> {
      const trigger = toTrigger(await findTrigger(organizationId, id));
      if (settingNames.every((name) => body[name] === undefined)) return;
      const known = settingNames.filter((name) => !refused.has(name));
      checkSettings(Object.fromEntries(known.map((name) => [name, body[name] ?? trigger[name]])));
    },
    async create(
      organizationId: string,
      agentId: string,
      { input, editor, keep }: { input: TriggerCreate; editor: Editor; keep?: SaveResponse | undefined },
    ): Promise<Trigger> {
      await agents.get(organizationId, agentId);
      const now = Date.now();
      const owner = { organizationId, agentId };
      const row: TriggerRow = {
        ...triggerDefaults,
        ...toColumns(input),
        ...(await validate(owner, input)),
        id: newId("trigger"),
        ...owner,
        name: input.name,
        createdAt: now,
        updatedAt: now,
      };
      const trigger = toTrigger(row);
      await drafts
        .edit({ ...owner, editor }, async (trx) => {
          await insertTrigger(store, trx, row);
          await keep?.(trx, agentId, trigger);
        })
        .catch(refuseMissingForm);
      onChange(agentId);
      return trigger;
    },
    /** The copy is disabled, because two enabled triggers would show the same thing twice. */
    async duplicate(organizationId: string, id: string, editor: Editor): Promise<Trigger> {
      const copy = toCopy(await findTrigger(organizationId, id));
      await drafts
        .edit({ organizationId, agentId: copy.agentId, editor }, (trx) => insertTrigger(store, trx, copy))
        .catch(refuseMissingForm);
      return toTrigger(copy);
    },
    async update(
      organizationId: string,
      id: string,
      { input, editor }: { input: TriggerChanges; editor: Editor },
    ): Promise<Trigger> {
      return change(organizationId, id, { changesOf: () => input, editor });
    },
    async toggle(organizationId: string, id: string, editor: Editor): Promise<Trigger> {
      return change(organizationId, id, { changesOf: ({ isEnabled }) => ({ isEnabled: !isEnabled }), editor });
    },
    async delete(organizationId: string, id: string, editor: Editor): Promise<void> {
      const row = await findTrigger(organizationId, id);
      await drafts.edit({ organizationId, agentId: row.agentId, editor }, async (trx) => {
        if (!(await store.delete(trx, row))) throw notFound("Trigger");
      });
      onChange(row.agentId);
    },
  };
}

/** Inserts a trigger of a locked agent. @throws 403 when the agent has as many triggers as it can */
export async function insertTrigger(store: TriggerStore, trx: Transaction<Tables>, row: TriggerRow): Promise<void> {
  if (await store.insert(trx, row, MAX_PER_AGENT)) return;
  throw new AppError("FORBIDDEN", `An agent can have ${MAX_PER_AGENT} triggers. Delete one first.`);
}

function toCopy(source: TriggerRow): TriggerRow {
  const now = Date.now();
  const name = `${source.name.slice(0, MAX_NAME - COPY_SUFFIX.length)}${COPY_SUFFIX}`;
  return { ...source, id: newId("trigger"), name, isEnabled: 0, createdAt: now, updatedAt: now };
}

type CopiedAgent = { from: string; to: string };

/**
 * Copies an agent's triggers, as members edit them, to a new agent. `toolIds` are the copied tools: a copied trigger shows the copied form.
 */
async function copyTriggers(
  store: TriggerStore,
  trx: Transaction<Tables>,
  { from, to, toolIds }: CopiedAgent & { toolIds: ReadonlyMap<string, string> },
): Promise<void> {
  const now = Date.now();
  const source = (await hasDraft(trx, from)) ? inDraft(trx) : trx;
  for (const row of await store.listAll(source, from)) {
    const toolId = row.toolId === null ? null : (toolIds.get(row.toolId) ?? null);
    const config = JSON.parse(row.actionConfig) as Record<string, unknown>;
    const actionConfig = toolId === null ? row.actionConfig : JSON.stringify({ ...config, toolId });
    const id = newId("trigger");
    await store.insertCopy(trx, { ...row, id, agentId: to, toolId, actionConfig, createdAt: now, updatedAt: now });
  }
}

const settingNames = ["triggerType", "conditions", "actionType", "actionConfig"] as const;

function noSuchFormError() {
  return invalid("actionConfig.toolId", "must be the id of a form tool of the same agent", "unknown_reference");
}

/** Turns the error into a 400 if the form was deleted after it was looked up. */
function refuseMissingForm(error: unknown): never {
  throw isMissingReference(error) ? noSuchFormError() : error;
}
