import type { AgentContent, AgentFile, AgentTestContent, AppliedAgents, ApplyBody, ApplyChange } from "@foyer/contract";
import { findSecretNames } from "@foyer/contract/rules/url-template";
import type { Transaction } from "kysely";
import { withDraft, writeColumns } from "../../agents/draft-columns.ts";
import type { Drafts, Editor } from "../../agents/editor.ts";
import type { AgentService } from "../../agents/service.ts";
import type { Principal } from "../../auth/sessions/authenticate.ts";
import { inDraft } from "../../db/draft-tables.ts";
import type { TriggerRow } from "../../db/tables/triggers.ts";
import type { AgentRow, Tables, ToolRow } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { AppError, checkAllSequentially, invalid } from "../../errors.ts";
import type { SecretService } from "../../tools/secrets/service.ts";
import type { ToolService } from "../../tools/service.ts";
import { readSnapshot, serialize } from "../content.ts";
import { checkMatch } from "../drafts.ts";
import type { Missing } from "../missing.ts";
import { listRecipients, toAgentFile, toPlainFile } from "./agent-file.ts";
import { listChanges, listNamed } from "./changes.ts";
import { type FileTests, prepareTests, type TestChanges } from "./file-tests.ts";
import { findMembers, readAddresses } from "./members.ts";
import { prepareSettings } from "./prepare-settings.ts";
import { prepareTools, type RowChanges } from "./prepare-tools.ts";
import { type PreparedTrigger, prepareTriggers } from "./prepare-triggers.ts";
import { readTeams } from "./teams.ts";
import { maskSecrets } from "./tool-secrets.ts";

const ATTEMPTS = 5;
/** The maximum number of triggers of an agent, see triggers/service.ts. */
const MAX_TRIGGERS = 200;

export type AgentFileService = ReturnType<typeof createAgentFileService>;

type Parts = {
  agents: Pick<AgentService, "get" | "getPublic" | "findOwn" | "findBySlug" | "prepare" | "insertIn">;
  drafts: Drafts;
  tools: Pick<ToolService, "rows" | "prepareNew" | "prepareChange" | "insertIn" | "updateIn" | "deleteIn">;
  secrets: Pick<SecretService, "hostsOf">;
  fileTests: FileTests;
  /** called once a change is committed */
  onChange(agentId: string): void;
};

/** With `isAlone`, the only file was sent without a list, which decides the paths of its problems. */
type Options = { dryRun: boolean; prune: boolean; isAlone: boolean; editor: Editor };

/** An agent as members edit it. `row` has the columns of its draft. */
type State = {
  row: AgentRow;
  content: AgentContent;
  tools: ToolRow[];
  triggers: TriggerRow[];
  tests: AgentTestContent[];
  hash: string;
};

type Prepared = {
  file: AgentFile;
  state: State | null;
  columns: Partial<AgentRow>;
  tools: RowChanges<ToolRow>;
  triggers: RowChanges<PreparedTrigger>;
  tests: TestChanges;
  missing: Missing[];
};

type Written = { slug: string; agentId: string; content: AgentContent; changes: ApplyChange[] };

/** Ends the transaction of a dry run, which is rolled back. */
class DryRun extends Error {}

/** Thrown when an agent has changed since the file was compared with it. */
class StaleError extends Error {}

/** Agents as text: `GET /agents/:id/export` and `POST /agents/apply`. */
export function createAgentFileService(
  { db }: Pick<Deps, "db">,
  { agents, drafts, tools, secrets, fileTests, onChange }: Parts,
) {
  /** Reads the parts of an agent again until none has changed meanwhile. */
  async function read(organizationId: string, agentId: string): Promise<State> {
    for (;;) {
      const row = await agents.getPublic(agentId);
      const state = await db.transaction().execute(async (trx) => {
        const side = row.publishing === "manual" ? inDraft(trx) : trx;
        const { content } = await readSnapshot(side, withDraft(row));
        const triggers = await side
          .selectFrom("triggers")
          .selectAll()
          .where("agentId", "=", agentId)
          .where("organizationId", "=", organizationId)
          .orderBy("id")
          .execute();
        return { content, triggers: triggers.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)) };
      });
      const rows = await tools.rows(organizationId, agentId);
      const tests = await fileTests.read(db, { organizationId, agentId });
      const again = await agents.getPublic(agentId);
      if (hashOf(row) === hashOf(again)) {
        return { ...state, row: withDraft(again), tools: rows, tests, hash: hashOf(row) };
      }
    }
  }

  async function toPlain(organizationId: string, { row, content }: Pick<State, "row" | "content">) {
    const emailOf = await readAddresses(db, organizationId, listRecipients(content));
    return toPlainFile({ slug: row.slug, content, emailOf });
  }

  /** The agent of a file: by its id, which stays when an agent is renamed, or by its slug on another server. */
  async function findAgent(organizationId: string, { id, slug }: AgentFile["agent"]) {
    const known = id && (await agents.findOwn(organizationId, id));
    return known || agents.findBySlug(organizationId, slug);
  }

  /** Compares a file with its agent and checks what differs. @throws 400 with the path of every problem */
  async function prepare(
    principal: Principal,
    file: AgentFile,
    { path, prune, ifMatch }: { path: string; prune: boolean; ifMatch: string | undefined },
  ): Promise<Prepared> {
    const { organizationId } = principal;
    const found = await findAgent(organizationId, file.agent);
    const state = found ? await read(organizationId, found.id) : null;
    checkMatch(ifMatch, state?.hash ?? null);
    const plain = state && (await toPlain(organizationId, state));
    const members = await findMembers(db, organizationId, listNames(file));
    const teams = await readTeams(db, organizationId, state?.content.agent.handoff.teamId ?? null);
    const maskNames = (plain?.tools ?? []).flatMap((tool) => maskSecrets(tool).names);
    const stored = await secrets.hostsOf(organizationId, maskNames);
    const current = state && plain ? { agent: state.row, stored: state.content.agent } : null;
    let settings: Awaited<ReturnType<typeof prepareSettings>> = { columns: {}, missing: [] };
    let toolChanges: RowChanges<ToolRow> = { removed: [], changed: [], created: [] };
    let testChanges: TestChanges = { removed: [], written: [] };
    let triggerChanges: RowChanges<PreparedTrigger> = { removed: [], changed: [], created: [] };
    await checkAllSequentially([
      async () => {
        settings = await prepareSettings(db, file, { current, agents, members, teams, organizationId, path });
      },
      async () => {
        const isSecret = (name: string) => stored.has(name);
        toolChanges = await prepareTools(
          file.tools,
          { rows: state?.tools ?? [], plain: plain?.tools ?? [] },
          { principal, tools, members, isSecret, path, prune },
        );
      },
      async () => {
        triggerChanges = await prepareTriggers(
          file.triggers,
          { rows: state?.triggers ?? [], plain: plain?.triggers ?? [] },
          { forms: listForms(file, state, prune), organizationId, path, prune },
        );
      },
      async () => {
        testChanges = await prepareTests(file.tests, state?.tests ?? [], { tests: fileTests, path, prune });
      },
    ]);
    return { file, state, ...settings, tools: toolChanges, triggers: triggerChanges, tests: testChanges };
  }

  async function write(
    trx: Transaction<Tables>,
    { organizationId, plan }: Pick<Principal, "organizationId" | "plan">,
    { prepared, editor }: { prepared: Prepared; editor: Editor },
  ): Promise<Written> {
    const { file, state, columns } = prepared;
    const { slug, name } = file.agent;
    if (state === null) {
      const agent = await agents.insertIn(trx, { organizationId, name, slug }, columns);
      if (!agent) throw new StaleError();
      await writeParts(trx, agent, prepared);
      const { content } = await readSnapshot(trx, agent);
      await drafts.begin(trx, agent, editor.by);
      const changes = [...listChanges(slug, null, content), ...(await writeTests(agent.id, []))];
      return { slug, agentId: agent.id, content, changes };
    }
    const { id: agentId } = state.row;
    const place = { organizationId, agentId, editor: { by: editor.by, ifMatch: `"${state.hash}"` } };
    const content = await drafts.editIn(trx, place, async (side) => {
      if (Object.keys(columns).length > 0) {
        const agent = await readRow(trx, { organizationId, agentId });
        await writeColumns(trx, agent, { ...columns, updatedAt: Date.now() });
      }
      await writeParts(side, state.row, prepared);
      return (await readSnapshot(side, withDraft(await readRow(trx, { organizationId, agentId })))).content;
    });
    const changes = [...listChanges(slug, state.content, content), ...(await writeTests(agentId, state.tests))];
    return { slug, agentId, content, changes };

    async function writeTests(id: string, before: readonly AgentTestContent[]): Promise<ApplyChange[]> {
      const place = { organizationId, agentId: id };
      await fileTests.write(trx, place, prepared.tests);
      return listNamed({ agent: slug, kind: "test" }, before, await fileTests.read(trx, place));
    }

    async function writeParts(side: Transaction<Tables>, agent: AgentRow, parts: Prepared): Promise<void> {
      await writeTools(side, { tools, plan, agentId: agent.id }, parts.tools);
      await writeTriggers(side, { organizationId, agentId: agent.id }, parts.triggers);
    }
  }

  /** Writes everything or, in a dry run, nothing. */
  async function writeAll(
    principal: Principal,
    prepared: readonly Prepared[],
    { dryRun, editor }: Options,
  ): Promise<Written[]> {
    let written: Written[] = [];
    try {
      await inTransaction(db, async (trx) => {
        written = [];
        // Everyone locks agents in this order.
        const inOrder = prepared.toSorted((a, b) => ((a.state?.row.id ?? "~") < (b.state?.row.id ?? "~") ? -1 : 1));
        for (const one of inOrder) written.push(await write(trx, principal, { prepared: one, editor }));
        if (dryRun) throw new DryRun();
      });
    } catch (error) {
      if (error instanceof AppError && error.code === "PRECONDITION_FAILED") throw new StaleError();
      if (!(error instanceof DryRun)) throw error;
    }
    const slugs = prepared.map(({ file }) => file.agent.slug);
    return written.toSorted((a, b) => slugs.indexOf(a.slug) - slugs.indexOf(b.slug));
  }

  return {
    /** The agent as members edit it, and its hash. @throws 404 */
    async export(organizationId: string, agentId: string): Promise<{ file: AgentFile; hash: string }> {
      await agents.get(organizationId, agentId);
      const { row, content, tests, hash } = await read(organizationId, agentId);
      const emailOf = await readAddresses(db, organizationId, listRecipients(content));
      const teams = await readTeams(db, organizationId, content.agent.handoff.teamId);
      return { file: toAgentFile({ slug: row.slug, content, tests, emailOf, teams }), hash };
    },
    /** Gives agents the state of their files: all of them, or none. @throws 400 with the path of every problem */
    async apply(principal: Principal, { agents: given }: ApplyBody, options: Options): Promise<AppliedAgents> {
      const { organizationId } = principal;
      const files = listFiles(given, options);
      const { editor, prune, dryRun } = options;
      if (editor.ifMatch !== undefined && files.length > 1) {
        throw invalid("", "If-Match protects one agent. Apply them one by one.");
      }
      for (let attempt = 1; ; attempt++) {
        const prepared: Prepared[] = [];
        await checkAllSequentially(
          files.map(({ file, path }) => async () => {
            prepared.push(await prepare(principal, file, { path, prune, ifMatch: editor.ifMatch }));
          }),
        );
        try {
          const written = await writeAll(principal, prepared, options);
          if (!dryRun) for (const { agentId } of written) onChange(agentId);
          const used = findSecretNames(written.flatMap(({ content }) => content.tools.flatMap(listTexts)));
          const known = await secrets.hostsOf(organizationId, used);
          const isNew = new Set(prepared.filter(({ state }) => state === null).map(({ file }) => file.agent.slug));
          const applied = written.map(({ slug, agentId, content }) => ({
            slug,
            agentId: dryRun && isNew.has(slug) ? null : agentId,
            hash: serialize(content).hash,
          }));
          const [first, ...others] = applied;
          return {
            agentId: others.length === 0 ? (first?.agentId ?? null) : null,
            hash: others.length === 0 ? (first?.hash ?? null) : null,
            changes: written.flatMap(({ changes }) => changes),
            agents: applied,
            missingSecrets: used.filter((name) => !known.has(name)).toSorted(),
            missingImages: prepared.flatMap(({ missing }) => missing),
          };
        } catch (error) {
          if (!(error instanceof StaleError)) throw error;
          if (attempt === ATTEMPTS) {
            throw new AppError("CONFLICT", "Others are changing these agents at the same time. Try again.");
          }
        }
      }
    },
  };
}

const hashOf = ({ draftHash, liveHash }: AgentRow) => draftHash ?? liveHash ?? "";

/** The files with their paths in the body. @throws 400 for two files of one agent */
function listFiles(files: readonly AgentFile[], { isAlone }: Pick<Options, "isAlone">) {
  const slugs = files.map(({ agent }) => agent.slug);
  const repeated = slugs.findIndex((slug, index) => slugs.indexOf(slug) !== index);
  if (repeated !== -1) throw invalid(`agents.${repeated}.agent.slug`, "is the slug of an earlier agent", "duplicate");
  const ids = files.map(({ agent }) => agent.id ?? null);
  const copied = ids.findIndex((id, index) => id !== null && ids.indexOf(id) !== index);
  if (copied !== -1) {
    const problem = "is the id of an earlier agent. Remove it from a copied file to create another agent";
    throw invalid(`agents.${copied}.agent.id`, problem, "duplicate");
  }
  return files.map((file, index) => ({ file, path: isAlone ? "" : `agents.${index}.` }));
}

/** The members that a file names. */
function listNames({ agent, tools = [] }: AgentFile): string[] {
  const recipients = tools.flatMap(({ formPostActions }) =>
    (formPostActions ?? []).flatMap(({ recipientIds }) => recipientIds ?? []),
  );
  return [...(agent.handoff?.escalation ?? []), ...recipients];
}

/** The names of the forms that the agent has once the file is applied. */
function listForms({ tools }: AgentFile, state: State | null, prune: boolean): Set<string> {
  const kinds = new Map((prune && tools ? [] : (state?.tools ?? [])).map((tool) => [tool.name, tool.executionType]));
  for (const { name, executionType } of tools ?? []) kinds.set(name, executionType);
  return new Set([...kinds].filter(([, kind]) => kind === "form").map(([name]) => name));
}

/** The texts of a tool in which secrets can be named. */
function listTexts({ httpUrl, httpBody, httpHeaders }: AgentContent["tools"][number]): string[] {
  return [httpUrl ?? "", JSON.stringify(httpBody ?? ""), ...Object.values(httpHeaders ?? {})];
}

function readRow(
  trx: Transaction<Tables>,
  { organizationId, agentId }: { organizationId: string; agentId: string },
): Promise<AgentRow> {
  return trx
    .selectFrom("agents")
    .selectAll()
    .where("id", "=", agentId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirstOrThrow();
}

async function writeTools(
  side: Transaction<Tables>,
  { tools, plan, agentId }: { tools: Parts["tools"]; plan: string; agentId: string },
  { removed, changed, created }: RowChanges<ToolRow>,
): Promise<void> {
  for (const row of removed) await tools.deleteIn(side, row);
  for (const { row, changes } of changed) await tools.updateIn(side, row, changes);
  for (const row of created) await tools.insertIn(side, { plan }, { ...row, agentId });
}

/** Writes the triggers of an agent whose tools are written. @throws 403 when the agent has too many */
async function writeTriggers(
  side: Transaction<Tables>,
  { organizationId, agentId }: { organizationId: string; agentId: string },
  { removed, changed, created }: RowChanges<PreparedTrigger>,
): Promise<void> {
  if (removed.length + changed.length + created.length === 0) return;
  const tools = await side.selectFrom("tools").select(["id", "name"]).where("agentId", "=", agentId).execute();
  const idOf = new Map(tools.map(({ id, name }) => [name, id]));
  const withForm = <Row extends Partial<PreparedTrigger>>({ form, ...row }: Row) => {
    const toolId = form == null ? null : (idOf.get(form) ?? null);
    return toolId === null ? { ...row, toolId } : { ...row, toolId, actionConfig: JSON.stringify({ toolId }) };
  };
  for (const { id } of removed) {
    await side.deleteFrom("triggers").where("id", "=", id).where("organizationId", "=", organizationId).execute();
  }
  for (const { row, changes } of changed) {
    await side
      .updateTable("triggers")
      .set(withForm(changes))
      .where("id", "=", row.id)
      .where("organizationId", "=", organizationId)
      .execute();
  }
  for (const row of created) {
    const { form: _, ...trigger } = row;
    await side
      .insertInto("triggers")
      .values({ ...trigger, ...withForm(row), agentId })
      .execute();
  }
  const { n } = await side
    .selectFrom("triggers")
    .select((x) => x.fn.countAll<number>().as("n"))
    .where("agentId", "=", agentId)
    .executeTakeFirstOrThrow();
  if (Number(n) > MAX_TRIGGERS) throw new AppError("FORBIDDEN", `An agent can have ${MAX_TRIGGERS} triggers.`);
}
