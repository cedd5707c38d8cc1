import type { ChatModel } from "../packages/server/src/models/chat-model.ts";
import { createCircuits } from "../packages/server/src/models/circuit.ts";
import { createModelChain, type ModelChain } from "../packages/server/src/models/model-chain.ts";

/** A chain of one model, as an agent without fallback models has it. */
export function toChain(model: ChatModel, organizationId = "org_1"): ModelChain {
  const source = { provider: "openai" as const, apiKey: null, baseUrl: "https://models.example" };
  const chosen = { ...model, source, isOperatorPaid: false };
  const circuits = createCircuits(60_000);
  return createModelChain([{ id: `test/${model.modelId}`, model: chosen }], { organizationId, circuits });
}
