import type { AgentPublishing } from "@foyer/contract";
import type { Flag, Instant, Json } from "./column-types.ts";

/** The versions of agents. */
export type VersionTables = { agentVersions: AgentVersionRow };

/** What members edit and visitors do not get yet. Drafts of tools and triggers are in tables of their own. */
export type DraftColumns = {
  /** `immediate`: every save is live, and there is no draft */
  publishing: AgentPublishing;
  publishRequiresTests: Flag;
  /** the agent's columns that differ from the live ones, as JSON */
  draft: Json;
  /** the hash of the draft's content; null when there is no draft */
  draftHash: string | null;
};

/** Which version of the agent visitors get. */
export type LiveVersionColumns = {
  /** null until the first version is recorded, for agents from before there were versions */
  liveVersion: number | null;
  /** the hash of its content */
  liveHash: string | null;
  /** whether a reply has begun with it, so that it never changes again */
  liveIsUsed: Flag;
};

/** A version that a part of the new conversations gets, see versions/rollouts.ts. */
export type RolloutColumns = {
  /** a `StoredRollout`; null when every conversation gets the live version */
  rollout: Json | null;
};

/** The version with which a reply was written. */
export type MessageVersionColumns = {
  /** null: written with the draft, or before versions were recorded */
  agentVersion: number | null;
};

export type AgentVersionRow = {
  agentId: string;
  version: number;
  organizationId: string;
  hash: string;
  /** an `AgentContent` with sorted keys */
  content: Json;
  /** the ids of its tools and triggers, in the order of `content` */
  ids: Json;
  note: string | null;
  createdAt: Instant;
  /** a `VersionAuthor`; null: nobody, see `LiveVersionColumns` */
  createdBy: Json | null;
};
