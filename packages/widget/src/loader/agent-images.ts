import type { AgentWidget } from "@foyer/sdk";
import type { WidgetOptions } from "./read-options.ts";

type Source = { agent: AgentWidget; options: Pick<WidgetOptions, "baseUrl"> };

/** The URL of an agent's image, or null without one. An unsaved image in the dashboard's preview is a data URL. */
export function chooseAgentImage({ agent, options }: Source, kind: keyof AgentWidget["images"]): string | null {
  const path = agent.images[kind];
  return path?.startsWith("/") ? options.baseUrl + path : path;
}
