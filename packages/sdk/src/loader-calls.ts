import type { AgentWidget, TriggerEvent } from "@foyer/contract";
import type { Request } from "./request.ts";
import { sendReport } from "./send-report.ts";
import { read } from "./visitor-calls.ts";

/** The appearance and greeting of an agent's widget. */
export async function getWidget(request: Request, agentId: string): Promise<AgentWidget> {
  return (await read(request(`/agents/${encodeURIComponent(agentId)}/widget`))).data;
}

/** Sent even if the page is being closed. */
export async function recordTriggerEvent(request: Request, event: TriggerEvent): Promise<void> {
  await sendReport(request, "/triggers/event", event);
}
