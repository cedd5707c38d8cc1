import type { AgentTools } from "../use-all-tools.ts";

export type SecretUse = { agentId: string; agentName: string; toolId: string; toolName: string };

/** Finds the tools that use each secret, as `{{NAME}}` in their URL or a header. */
export function findSecretUses(byAgent: AgentTools[]): Map<string, SecretUse[]> {
  const uses = new Map<string, SecretUse[]>();
  for (const { agent, tools } of byAgent) {
    for (const { id, name, httpUrl, httpHeaders } of tools) {
      const texts = [httpUrl ?? "", ...Object.values(httpHeaders ?? {})].join("\n");
      const names = new Set(
        Array.from(texts.matchAll(/\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g), ([, found]) => found),
      );
      for (const secret of names) {
        if (!secret) continue;
        const use = { agentId: agent.id, agentName: agent.name, toolId: id, toolName: name };
        uses.set(secret, [...(uses.get(secret) ?? []), use]);
      }
    }
  }
  return uses;
}
