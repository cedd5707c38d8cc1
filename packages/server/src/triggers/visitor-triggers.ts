import type { TriggerEvent, VisitorForm } from "@foyer/contract";
import type { Transaction } from "kysely";
import { isAllowed } from "../agents/origin-check.ts";
import type { AgentService } from "../agents/service.ts";
import { isMissingReference } from "../db/database-errors.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import { isId } from "../ids.ts";
import type { FormFinder, FormScope } from "../tools/form/form-finder.ts";
import { toVisitorForm } from "../tools/run-tool.ts";
import { toWidgetTrigger } from "./columns.ts";
import { type Listing, type ListingCache, toListing } from "./listing.ts";
import { createTriggerStore } from "./store.ts";
import { createTriggerEvents } from "./trigger-events.ts";

export type VisitorTriggers = ReturnType<typeof createVisitorTriggers>;

type Parts = {
  agents: AgentService;
  formFinder: FormFinder;
  /** called in the transaction that stores an event */
  onEvent(trx: Transaction<Tables>, event: TriggerEvent): Promise<void>;
};

type Recorded = { success: true; recorded: boolean };

/** Public endpoints for visitors' pages. `origin` is the page's origin, which the agent must allow (403). */
export function createVisitorTriggers(
  { db, databaseKind, config }: Pick<Deps, "db" | "databaseKind" | "config">,
  { agents, formFinder, onEvent }: Parts,
  cache: ListingCache,
) {
  const store = createTriggerStore(db);
  const write = createTriggerEvents({ db, databaseKind });
  const ownOrigin = new URL(config.baseUrl).origin;

  async function read(agentId: string): Promise<Listing> {
    const agent = await agents.getPublic(agentId);
    return toListing(agent, (await store.enabled(agentId)).map(toWidgetTrigger));
  }

  /**
   * A cached listing is returned synchronously. It can be up to a second old after a change in another process.
   * @throws 404 when the agent does not exist
   */
  function loadListing(agentId: string, origin: string | undefined): Listing | Promise<Listing> {
    const check = (found: Listing) => {
      agents.checkOrigin(found.agent, origin, ownOrigin);
      return found;
    };
    const found = cache.get(agentId, read);
    return found instanceof Promise ? found.then(check) : check(found);
  }

  return {
    listing: loadListing,
    /**
     * Resolves once the event is durable. The caller must check with `listing` that the agent accepts events from this
     * page.
     */
    async record(event: TriggerEvent, keep?: SaveResponse): Promise<Recorded> {
      const recorded = await write(event, async (trx, isCounted) => {
        await keep?.(trx, event.agentId, { success: true, recorded: isCounted });
        await onEvent(trx, event);
      }).catch((error) => {
        throw isMissingReference(error) ? notFound("Agent") : error;
      });
      return { success: true, recorded };
    },
    /** The text of the agent's enabled bubble, or null. A conversation may start with it. */
    async openingMessage(agentId: string, triggerId: string): Promise<string | null> {
      const trigger = isId("trigger", triggerId) ? await store.enabledBubble(agentId, triggerId) : undefined;
      if (!trigger) return null;
      const { message } = JSON.parse(trigger.actionConfig) as { message?: unknown };
      return typeof message === "string" && message.trim() !== "" ? message : null;
    },
    /** Looks up a name among the agent's forms, or the organization's, or those that the page's origin may use. */
    async form(
      idOrName: string,
      { agentId, organizationId, origin }: FormScope & { origin: string | undefined },
    ): Promise<VisitorForm> {
      const mayUse = (agent: Pick<AgentRow, "allowedOrigins">) => !origin || isAllowed(agent, origin, ownOrigin);
      const tool = await formFinder.enabled(idOrName, { agentId, organizationId }, mayUse);
      agents.checkOrigin(await agents.getPublic(tool.agentId), origin, ownOrigin);
      return toVisitorForm(tool);
    },
  };
}
