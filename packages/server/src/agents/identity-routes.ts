import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import { AppError } from "../errors.ts";
import type { App } from "../http/app.ts";
import { readUserToken, signUserToken } from "./identity/user-token.ts";
import type { AgentService } from "./service.ts";

/** Endpoints that let members check their site's tokens and act as a visitor. */
export function identityTokenRoutes(app: App, agents: Pick<AgentService, "identitySecret">): void {
  app.route({
    ...contract.checkIdentityToken,
    handler: async (request) => {
      const { id: agentId } = request.params;
      const secret = await agents.identitySecret(requirePrincipal(request).organizationId, agentId);
      try {
        const { visitor, expiresAt } = await readUserToken(request.body.token.trim(), { agentId, secret });
        const data = { valid: true, reason: null, visitor, expiresAt: new Date(expiresAt).toISOString() };
        return { data, error: null };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { data: { valid: false, reason: error.message, visitor: null, expiresAt: null }, error: null };
      }
    },
  });
  app.route({
    ...contract.createIdentityToken,
    handler: async (request) => {
      const { id: agentId } = request.params;
      const secret = await agents.identitySecret(requirePrincipal(request).organizationId, agentId);
      const token = await signUserToken(request.body, { agentId, secret });
      // Verifying the new token rejects everything that a token must not contain, such as claims of more than 8 KB.
      const { expiresAt } = await readUserToken(token, { agentId, secret }).catch(throwAsInvalid);
      return { data: { token, expiresAt: new Date(expiresAt).toISOString() }, error: null };
    },
  });
}

function throwAsInvalid(error: unknown): never {
  throw error instanceof AppError ? new AppError("VALIDATION_ERROR", error.message) : error;
}
