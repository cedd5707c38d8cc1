import * as contract from "@foyer/contract";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { AnswerService } from "./service.ts";

export function answerRoutes(app: App, answers: AnswerService): void {
  app.route({
    ...contract.listUnansweredQuestions,
    handler: async (request) => answers.listUnanswered(requirePrincipal(request).organizationId, request.query),
  });
  app.route({
    ...contract.dismissUnansweredQuestions,
    handler: async (request) => {
      const { agentId, ids } = request.body;
      return { dismissed: await answers.dismiss(requirePrincipal(request).organizationId, agentId, ids) };
    },
  });
  app.route({
    ...contract.listDocumentUses,
    handler: async (request) =>
      answers.uses(requirePrincipal(request).organizationId, request.params.id, request.query),
  });
}
