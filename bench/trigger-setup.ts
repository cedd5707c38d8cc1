import { authorized } from "./foyer-process.ts";

/** Creates similar triggers of an agent. */
export async function createTriggers(url: string, agentId: string, count: number): Promise<Array<{ id: string }>> {
  const triggers: Array<{ id: string }> = [];
  for (let number = 1; number <= count; number++) {
    const response = await fetch(`${url}/triggers?agentId=${agentId}`, {
      method: "POST",
      headers: { ...authorized, "content-type": "application/json" },
      body: JSON.stringify({
        name: `Welcome bubble ${number}`,
        triggerType: "time_on_page",
        conditions: { timeOnPage: 5 * number },
        actionType: "show_bubble",
        actionConfig: { message: "Hi there! Ask me anything.", duration: 10_000 },
      }),
    });
    if (response.status !== 201) throw new Error(`The trigger was not created: ${await response.text()}`);
    triggers.push((await response.json()) as { id: string });
  }
  return triggers;
}
