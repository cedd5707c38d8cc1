import type { Trigger, TriggerChanges, TriggerCreate } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { AgentService } from "../agents/service.ts";
import type { Executor } from "../db/compiled-query.ts";
import { isMissingReference } from "../db/database-errors.ts";
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
import { createTriggerStore, type TriggerStore } from "./store.ts";

/** The maximum number of triggers of an agent. It is limited because a page loads all of them. */
const MAX_PER_AGENT = 200;
const MAX_NAME = 200;
const COPY_SUFFIX = " (copy)";

export type TriggerService = ReturnType<typeof createTriggerService>;

/** `onChange` is called with the agent whose triggers changed, after the change was stored. */
export function createTriggerService(
  { db }: Pick<Deps, "db">,
  { agents, forms, onChange }: { agents: AgentService; forms: FormFinder; onChange: (agentId: string) => void },
) {
  const store = createTriggerStore(db);

  async function findTrigger(organizationId: string, id: string): Promise<TriggerRow> {
    const row = isId("trigger", id) ? await store.get(organizationId, id) : undefined;
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
  async function change(organizationId: string, id: string, changesOf: (trigger: Trigger) => TriggerChanges) {
    for (;;) {
      const row = await findTrigger(organizationId, id);
      const trigger = toTrigger(row);
      const given = changesOf(trigger);
      const plain = toColumns({ isEnabled: trigger.isEnabled, ...given });
      // Skip the check for other changes, so that a disabled trigger can be renamed even after its form was deleted.
      const isChecked = plain.isEnabled === 1 || settingNames.some((name) => given[name] !== undefined);
      const settings = isChecked ? await validate(row, { ...trigger, ...given }) : {};
      const updatedAt = Math.max(Date.now(), row.updatedAt + 1);
      const updated = await store.update(row, { ...plain, ...settings, updatedAt }).catch(refuseMissingForm);
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
      return (await store.list(organizationId, agentId)).map(toTrigger);
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
      { input, keep }: { input: TriggerCreate; keep?: SaveResponse | undefined },
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
      const also = keep && ((trx: Executor) => keep(trx, agentId, trigger));
      const isKept = await store.insert(row, MAX_PER_AGENT, also).catch(async (error) => {
        await agents.get(organizationId, agentId);
        return refuseMissingForm(error);
      });
      if (!isKept) throw limitReached();
      onChange(agentId);
      return trigger;
    },
    /** The copy is disabled, because two enabled triggers would show the same thing twice. */
    async duplicate(organizationId: string, id: string): Promise<Trigger> {
      return toTrigger(await duplicateTrigger(store, await findTrigger(organizationId, id)));
    },
    async update(organizationId: string, id: string, input: TriggerChanges): Promise<Trigger> {
      return change(organizationId, id, () => input);
    },
    async toggle(organizationId: string, id: string): Promise<Trigger> {
      return change(organizationId, id, ({ isEnabled }) => ({ isEnabled: !isEnabled }));
    },
    async delete(organizationId: string, id: string): Promise<void> {
      const deleted = isId("trigger", id) ? await store.delete(organizationId, id) : undefined;
      if (!deleted) throw notFound("Trigger");
      onChange(deleted.agentId);
    },
  };
}

function limitReached() {
  return new AppError("FORBIDDEN", `An agent can have ${MAX_PER_AGENT} triggers. Delete one first.`);
}

async function duplicateTrigger(store: TriggerStore, source: TriggerRow): Promise<TriggerRow> {
  const now = Date.now();
  const name = `${source.name.slice(0, MAX_NAME - COPY_SUFFIX.length)}${COPY_SUFFIX}`;
  const copy: TriggerRow = { ...source, id: newId("trigger"), name, isEnabled: 0, createdAt: now, updatedAt: now };
  const isInserted = await store.insert(copy, MAX_PER_AGENT).catch(refuseMissingForm);
  if (!isInserted) throw limitReached();
  return copy;
}

type CopiedAgent = { from: string; to: string };

/**
 * Copies an agent's triggers to a new agent. `toolIds` are the copied tools: a copied trigger shows the copied form.
 */
async function copyTriggers(
  store: TriggerStore,
  trx: Transaction<Tables>,
  { from, to, toolIds }: CopiedAgent & { toolIds: ReadonlyMap<string, string> },
): Promise<void> {
  const now = Date.now();
  for (const row of await store.listAll(trx, from)) {
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
