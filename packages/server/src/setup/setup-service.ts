import type { SetUpRequest, SetUpResult } from "@foyer/contract";
import type { AgentService } from "../agents/agent-service.ts";
import { createFirstOwner } from "../auth/first-owner.ts";
import { email as readEmail } from "../config-values.ts";
import { createRunAlone } from "../db/run-alone.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../errors.ts";
import { exampleAgent } from "./example-agent.ts";
import { maySetUp } from "./setup-token.ts";

const SET_UP_LOCK = 7301945528;

export type SetupService = ReturnType<typeof createSetupService>;

export function createSetupService(deps: Pick<Deps, "db" | "databaseKind" | "secrets">, agents: AgentService) {
  const { db } = deps;
  const runAlone = createRunAlone(deps, SET_UP_LOCK);

  return {
    /**
     * Makes the owner with an organization on the plan pro, an API key and a first agent. Of several calls at once
     * one wins. @throws 404 for a wrong token and once there is an account, 400 for the address
     */
    async setUp({ token, email, password, agentName }: SetUpRequest): Promise<SetUpResult> {
      if (!(await maySetUp(deps, token))) throw closed();
      const address = checkEmail(email);
      return runAlone(async () => {
        const owner = await createFirstOwner(db, { email: address, password });
        if (!owner) throw closed();
        const { organizationId, apiKey } = owner;
        const agent = await agents.create(organizationId, exampleAgent(agentName?.trim() ?? "Harbour"));
        return { agentId: agent.id, apiKey };
      });
    },
  };
}

function closed() {
  return new AppError("NOT_FOUND", "This set-up link is not valid, or this server is set up already.");
}

function checkEmail(value: string) {
  try {
    return readEmail(value.trim());
  } catch {
    throw invalid("email", "must be an address such as you@example.com");
  }
}
