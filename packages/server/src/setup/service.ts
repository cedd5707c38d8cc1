import type { SetUpRequest, SetUpResult } from "@foyer/contract";
import type { AgentService } from "../agents/service.ts";
import type { AuditLog } from "../auth/audit/audit-log.ts";
import { readEmailAddress } from "../auth/email-address.ts";
import { createFirstOwner } from "../auth/members/first-owner.ts";
import { readPlainName } from "../auth/plain-name.ts";
import { createRunAlone } from "../db/run-alone.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import { createExampleAgent } from "./example-agent.ts";
import { checkSetUp } from "./rules.ts";
import { maySetUp } from "./setup-token.ts";

const SET_UP_LOCK = 7301945528;

export type SetupService = ReturnType<typeof createSetupService>;

export function createSetupService(
  deps: Pick<Deps, "db" | "databaseKind" | "encryption">,
  agents: AgentService,
  audit: AuditLog,
) {
  const { db } = deps;
  const runAlone = createRunAlone(deps, SET_UP_LOCK);

  async function check(token: string): Promise<void> {
    if (!(await maySetUp(deps, token))) throw setUpClosedError();
  }

  return {
    /** @throws 404 for a wrong token, and when a user already exists */
    check,
    /**
     * Creates the owner with an organization on the `pro` plan, an API key and a first agent. Only one of several
     * concurrent calls succeeds.
     * @throws 404 for a wrong token, and when a user already exists; 400 for an invalid email address or name
     */
    async setUp({ token, email, password, ...names }: SetUpRequest, ip: string): Promise<SetUpResult> {
      await check(token);
      checkSetUp({ email, ...names });
      const address = readEmailAddress("email", email);
      const requestedName = names.organizationName ?? null;
      const organization =
        requestedName === null ? {} : { organizationName: readPlainName("organizationName", requestedName) };
      return runAlone(async () => {
        const name = names.name ? readPlainName("name", names.name) : "";
        const owner = await createFirstOwner(db, { email: address, password, name, ...organization });
        if (!owner) throw setUpClosedError();
        const { organizationId, userId, key } = owner;
        const agent = await agents.create(organizationId, createExampleAgent(names.agentName?.trim() ?? "Harbour"), {
          by: null,
        });
        const user = { id: userId, email: address, organizationId };
        await audit.recordUserAction(user, {
          action: "set-up",
          target: { resource: "users", id: userId, name: address },
          ip,
        });
        await audit.recordUserAction(user, {
          action: "POST /api-keys",
          target: { resource: "api-keys", id: key.id, name: key.name },
          ip,
        });
        await audit.recordUserAction(user, {
          action: "POST /agents",
          target: { resource: "agents", id: agent.id, name: agent.name },
          ip,
        });
        return { agentId: agent.id, apiKey: key.text };
      });
    },
  };
}

function setUpClosedError() {
  return new AppError("NOT_FOUND", "This setup link is not valid, or this server is already set up.");
}
