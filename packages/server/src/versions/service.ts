import { randomUUID } from "node:crypto";
import type {
  Agent,
  AgentContent,
  AgentRollout,
  AgentVersion,
  AgentVersionDetails,
  VersionChange,
} from "@foyer/contract";
import { compareContents } from "@foyer/contract/rules/compare-contents";
import { checkMemberChanges } from "../agents/admin-settings.ts";
import { withDraft } from "../agents/draft-columns.ts";
import type { Drafts, Editor } from "../agents/editor.ts";
import type { AgentService } from "../agents/service.ts";
import type { Principal } from "../auth/sessions/authenticate.ts";
import { inDraft } from "../db/draft-tables.ts";
import type { AgentVersionRow } from "../db/tables/versions.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../errors.ts";
import { readLimits } from "../plans/plan-limits.ts";
import type { SecretService } from "../tools/secrets/service.ts";
import { checkSecretUse, unboundSecretUse } from "../tools/secrets/tool-secrets.ts";
import { readSnapshot } from "./content.ts";
import { isMatch, toEtag } from "./drafts.ts";
import { createVersionStore, type ListedVersionRow, writeRollout } from "./store.ts";
import { writeSnapshot } from "./write-content.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** Whether a response waits for tests, and until when it can. */
type Waiting = { waits: boolean; signal: AbortSignal };

export type VersionService = ReturnType<typeof createVersionService>;

type Parts = {
  agents: Pick<AgentService, "get" | "getPublic">;
  drafts: Drafts;
  secrets: Pick<SecretService, "unbound">;
  /** Runs the agent's tests with its draft, which has this hash. @throws 409 when one fails, or they run for long */
  requirePassingTests(
    place: { organizationId: string; agentId: string },
    draft: { hash: string } & Waiting,
  ): Promise<void>;
  /** called once a change is committed */
  onChange(agentId: string): void;
};

/** The versions of agents: reading, comparing and restoring them. */
export function createVersionService({ db, models }: Pick<Deps, "db" | "models">, parts: Parts) {
  const { agents, drafts, secrets, requirePassingTests, onChange } = parts;
  const store = createVersionStore(db);

  async function find(organizationId: string, agentId: string, version: string): Promise<AgentVersionRow> {
    const isNumber = /^[1-9][0-9]{0,8}$/.test(version);
    const row = isNumber ? await store.get({ organizationId, agentId }, Number(version)) : undefined;
    if (!row) throw new AppError("NOT_FOUND", `This agent has no version ${version}.`);
    return row;
  }

  /** Checks that a member does not bring back a safety setting of an earlier version. @throws 403 */
  async function checkContent({ organizationId, role }: Principal, agentId: string, content: string): Promise<void> {
    const agent = await agents.get(organizationId, agentId);
    const isRequiredNow = (await agents.getPublic(agentId)).requireIdentity === 1;
    const { requireIdentity }: AgentContent["agent"] = JSON.parse(content).agent;
    checkMemberChanges(
      role,
      { ...agent, requireIdentity: isRequiredNow || agent.requireIdentity },
      { requireIdentity },
    );
  }

  /** The version that visitors get. @throws 404 when the organization has no such agent */
  async function liveVersion(organizationId: string, agentId: string): Promise<number> {
    await agents.get(organizationId, agentId);
    return (await agents.getPublic(agentId)).liveVersion ?? 0;
  }

  async function readContent(organizationId: string, agentId: string, version: string): Promise<AgentContent> {
    if (version !== "draft") return JSON.parse((await find(organizationId, agentId, version)).content);
    const agent = await agents.getPublic(agentId);
    const { content } = await db.transaction().execute((trx) => {
      return readSnapshot(agent.publishing === "manual" ? inDraft(trx) : trx, withDraft(agent));
    });
    return content;
  }

  /** @returns whether a provider would be asked for a model that the content names */
  async function readAnswered(organizationId: string, { agent }: AgentContent) {
    const { labels, unanswered } = await models.survey(organizationId, [agent.model, ...agent.fallbackModels]);
    const { isKnown } = await models.modelRules(organizationId);
    // Without any provider, the demo answers for every model, also for those of a server that was removed.
    const isOfRemovedServer = (id: string) => labels.length === 0 && id.includes("/") && !isKnown(id);
    return (id: string) => !unanswered.includes(id) && !isOfRemovedServer(id);
  }

  /** @returns the editor, who may publish only the draft that has passed the tests */
  async function testDraft(
    place: { organizationId: string; agentId: string },
    editor: Editor,
    waiting: Waiting,
  ): Promise<Editor> {
    const { organizationId, agentId } = place;
    const { publishRequiresTests, draftHash } = await agents.get(organizationId, agentId);
    if (!publishRequiresTests || !isMatch(editor.ifMatch, draftHash)) return editor;
    const live = await find(organizationId, agentId, String(await liveVersion(organizationId, agentId)));
    if (live.hash === draftHash) return editor;
    await requirePassingTests(place, { hash: draftHash, ...waiting });
    return { ...editor, ifMatch: toEtag(draftHash) };
  }

  return {
    async list(organizationId: string, agentId: string, query: { limit?: number; offset?: number }) {
      const live = await liveVersion(organizationId, agentId);
      const { limit = DEFAULT_LIMIT, offset = 0 } = query;
      const page = { limit: Math.min(limit, MAX_LIMIT), offset };
      const rows = await store.list({ organizationId, agentId }, page);
      const total = await store.count({ organizationId, agentId });
      return { data: rows.map((row) => toVersion(row, live)), pagination: { total, ...page }, error: null };
    },
    async get(organizationId: string, agentId: string, version: string): Promise<AgentVersionDetails> {
      const live = await liveVersion(organizationId, agentId);
      const row = await find(organizationId, agentId, version);
      return { ...toVersion(row, live), content: JSON.parse(row.content) };
    },
    async compare(
      organizationId: string,
      agentId: string,
      { from, to }: { from: string; to: string },
    ): Promise<VersionChange[]> {
      await agents.get(organizationId, agentId);
      const [before, after] = [
        await readContent(organizationId, agentId, from),
        await readContent(organizationId, agentId, to),
      ];
      return compareContents(before, after);
    },
    /**
     * Makes the draft the newest version. @returns the live version, and whether it is new
     * @throws 409 when the agent requires its tests to pass, and one fails
     */
    async publish(
      organizationId: string,
      agentId: string,
      { note, editor, ...waiting }: { note: string | null; editor: Editor } & Waiting,
    ): Promise<{ version: AgentVersion; isNew: boolean }> {
      const tested = await testDraft({ organizationId, agentId }, editor, waiting);
      const { version, isNew } = await drafts.publish({ organizationId, agentId, editor: tested, note });
      onChange(agentId);
      return { version: toVersion(await find(organizationId, agentId, String(version)), version), isNew };
    },
    /** Gives a version to a part of the new conversations. @throws 400 when the agent has no such version */
    async rollOut(
      principal: Principal,
      agentId: string,
      { rollout, editor }: { rollout: AgentRollout; editor: Editor },
    ): Promise<Agent> {
      const { organizationId } = principal;
      await agents.get(organizationId, agentId);
      const row = await store.get({ organizationId, agentId }, rollout.version);
      if (row) await checkContent(principal, agentId, row.content);
      await drafts.edit({ organizationId, agentId, editor }, async (_, trx) => {
        const { version, percent } = rollout;
        const ofAgent = { organizationId, agentId };
        if (!(await createVersionStore(trx).get(ofAgent, version))) {
          throw invalid(
            "version",
            `must be a version of the agent, which has no version ${version}`,
            "unknown_reference",
          );
        }
        await writeRollout(trx, ofAgent, (current) => {
          const id = current?.version === version ? current.id : randomUUID();
          return { id, version, percent };
        });
      });
      return agents.get(organizationId, agentId);
    },
    async endRollout(organizationId: string, agentId: string, editor: Editor): Promise<Agent> {
      await agents.get(organizationId, agentId);
      await drafts.edit({ organizationId, agentId, editor }, (_, trx) =>
        writeRollout(trx, { organizationId, agentId }, () => null),
      );
      return agents.get(organizationId, agentId);
    },
    async discard(organizationId: string, agentId: string, editor: Editor): Promise<Agent> {
      await agents.get(organizationId, agentId);
      await drafts.discard({ organizationId, agentId, editor });
      return agents.get(organizationId, agentId);
    },
    /**
     * Makes the content of an earlier version the newest one. With `withoutMissing`, members, teams, images and models
     * that no longer exist are left out. @throws 409 with what is missing otherwise
     */
    async restore(
      principal: Principal,
      agentId: string,
      { version, withoutMissing, editor }: { version: string; withoutMissing: boolean; editor: Editor },
    ): Promise<AgentVersion> {
      const { organizationId, plan } = principal;
      await agents.get(organizationId, agentId);
      const row = await find(organizationId, agentId, version);
      await checkContent(principal, agentId, row.content);
      const snapshot = { content: JSON.parse(row.content), ids: JSON.parse(row.ids) };
      checkToolLimit(snapshot.content, plan);
      const note = `Restores version ${version}.`;
      const isAnswered = await readAnswered(organizationId, snapshot.content);
      await drafts.edit({ organizationId, agentId, editor, publishes: true, note }, async (trx) => {
        const missing = await writeSnapshot(
          trx,
          { organizationId, id: agentId },
          {
            snapshot,
            isAnswered,
            async checkTool({ before, after }) {
              const unbound: SecretService["unbound"] = (id, names) => secrets.unbound(id, names, trx);
              await checkSecretUse({ unbound }, principal, { before, after });
              return { mayUseUnboundSecrets: unboundSecretUse(principal, before, after) };
            },
          },
        );
        if (missing.length > 0 && !withoutMissing) throw incomplete(version, missing);
      });
      onChange(agentId);
      const live = await liveVersion(organizationId, agentId);
      return toVersion(await find(organizationId, agentId, String(live)), live);
    },
  };
}

function incomplete(version: string, missing: ReadonlyArray<{ path: string; message: string }>) {
  return new AppError(
    "CONFLICT",
    `Version ${version} names what no longer exists. Restore it with \`withoutMissing\` to leave this out.`,
    { details: missing.map((detail) => ({ ...detail, code: "unknown_reference" as const })).slice(0, 20) },
  );
}

function checkToolLimit({ tools }: AgentContent, plan: string): void {
  const { toolsPerAgent } = readLimits(plan);
  if (toolsPerAgent === null || tools.length <= toolsPerAgent) return;
  throw new AppError(
    "TOOL_LIMIT_REACHED",
    `The version has ${tools.length} tools, and the plan ${plan} allows ${toolsPerAgent} for each agent.`,
  );
}

function toVersion({ version, hash, note, createdAt, createdBy }: ListedVersionRow, live: number): AgentVersion {
  return {
    version,
    hash,
    note,
    createdAt: new Date(createdAt).toISOString(),
    createdBy: createdBy === null ? null : JSON.parse(createdBy),
    isLive: version === live,
  };
}
