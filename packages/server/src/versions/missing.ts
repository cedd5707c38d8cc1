import type { AgentContent, ToolContent } from "@foyer/contract";
import type { Kysely, Transaction } from "kysely";
import { imageKinds } from "../agents/columns.ts";
import { isTeam } from "../auth/members/is-team.ts";
import type { Tables } from "../db/tables.ts";

/** Something that a version names and that the organization no longer has. */
export type Missing = { path: string; message: string };

type Place = { organizationId: string; agentId: string };

/** Where to look, and the list to which what is missing is added. */
type Scope = Place & { trx: Transaction<Tables>; missing: Missing[] };

type Settings = AgentContent["agent"];

/** Whether a provider would be asked for a model. */
export type IsAnswered = (modelId: string) => boolean;

/**
 * The content without the members, teams, images and models that no longer exist, and what was left out. Members whom
 * the agent notifies are named by user id in the result.
 */
export async function leaveOutMissing(
  trx: Transaction<Tables>,
  place: Place,
  { content, isAnswered }: { content: AgentContent; isAnswered: IsAnswered },
): Promise<{ content: AgentContent; missing: Missing[] }> {
  const missing: Missing[] = [];
  const scope = { ...place, trx, missing };
  const { agent } = content;
  const models = keepModels(agent, isAnswered, missing);
  const handoff = await keepHandoff(scope, agent.handoff);
  const images = await keepImages(scope, agent.images);
  const tools = [];
  for (const tool of content.tools) tools.push(await keepRecipients(scope, tool));
  return { content: { ...content, agent: { ...agent, ...models, handoff, images }, tools }, missing };
}

function keepModels({ model, fallbackModels }: Settings, isAnswered: IsAnswered, missing: Missing[]) {
  const message = (id: string) => `no model provider of this server or organization answers for ${id}`;
  const isKept = model === null || isAnswered(model);
  if (model !== null && !isKept) missing.push({ path: "agent.model", message: message(model) });
  const kept = fallbackModels.filter((id, index) => {
    if (isAnswered(id)) return true;
    missing.push({ path: `agent.fallbackModels.${index}`, message: message(id) });
    return false;
  });
  return { model: isKept ? model : null, fallbackModels: kept };
}

async function keepHandoff(
  { trx, organizationId, missing }: Scope,
  handoff: Settings["handoff"],
): Promise<Settings["handoff"]> {
  const escalation: string[] = [];
  for (const [index, email] of handoff.escalation.entries()) {
    // Someone who was not a member when the version was made is still named by user id.
    const userId = email.includes("@") ? await findMember(trx, organizationId, { email }) : email;
    if (userId) escalation.push(userId);
    else missing.push({ path: `agent.handoff.escalation.${index}`, message: `the member ${email} was removed` });
  }
  // Versions from before there were teams name none.
  const { teamId = null } = handoff;
  const hasTeam = teamId === null || (await isTeam(trx, organizationId, teamId));
  if (!hasTeam) missing.push({ path: "agent.handoff.teamId", message: "the team was deleted" });
  return { ...handoff, escalation, teamId: hasTeam ? teamId : null };
}

async function keepImages({ trx, agentId, missing }: Scope, images: Settings["images"]): Promise<Settings["images"]> {
  const kept = { ...images };
  for (const kind of imageKinds) {
    const version = images[kind];
    if (version === null || (await hasImage(trx, { agentId, kind, version }))) continue;
    missing.push({ path: `agent.images.${kind}`, message: "the image is no longer stored" });
    kept[kind] = null;
  }
  return kept;
}

/** An email that has no recipient left is left out as a whole. */
async function keepRecipients({ trx, organizationId, missing }: Scope, tool: ToolContent): Promise<ToolContent> {
  if (!tool.formPostActions) return tool;
  const formPostActions = [];
  for (const [index, action] of tool.formPostActions.entries()) {
    const recipientIds = [];
    for (const [place, userId] of (action.recipientIds ?? []).entries()) {
      if (await findMember(trx, organizationId, { userId })) {
        recipientIds.push(userId);
        continue;
      }
      const path = `tools.${tool.name}.formPostActions.${index}.recipientIds.${place}`;
      missing.push({ path, message: "the recipient was removed from the members" });
    }
    if (!action.recipientIds) formPostActions.push(action);
    else if (recipientIds.length > 0 || action.to?.length) formPostActions.push({ ...action, recipientIds });
  }
  return { ...tool, formPostActions };
}

async function findMember(
  trx: Transaction<Tables>,
  organizationId: string,
  { email, userId }: { email?: string; userId?: string },
): Promise<string | undefined> {
  const member = await trx
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .select("users.id")
    .where("members.organizationId", "=", organizationId)
    .$if(email !== undefined, (query) => query.where("users.email", "=", email ?? ""))
    .$if(userId !== undefined, (query) => query.where("users.id", "=", userId ?? ""))
    .executeTakeFirst();
  return member?.id;
}

export async function hasImage(
  db: Kysely<Tables>,
  image: { agentId: string; kind: string; version: string },
): Promise<boolean> {
  const found = await db
    .selectFrom("agentImages")
    .select("version")
    .where("agentId", "=", image.agentId)
    .where("kind", "=", image.kind)
    .where("version", "=", image.version)
    .executeTakeFirst();
  return found !== undefined;
}
