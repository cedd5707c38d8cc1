import { authorized, type Foyer } from "../foyer-process.ts";
import { type Script, TOOL_ANSWER, TOOL_NAME } from "../upstream-script.ts";

type Execution =
  | { executionType: "mock"; mockResponse: string }
  | { executionType: "http"; httpUrl: string }
  | { executionType: "client" };
export const mock: Execution = { executionType: "mock", mockResponse: TOOL_ANSWER };

/** A new agent with the tool that the scripts call, and its id. */
export async function createToolAgent(foyer: Foyer, script: Script, execution: Execution): Promise<string> {
  const agentId = await foyer.createAgent(script);
  await createTool(foyer, agentId, TOOL_NAME, execution);
  return agentId;
}

/**
 * A realistic size: a sentence about when to use the tool, and a few described fields.
 * @throws when it was not created
 */
export async function createTool(foyer: Foyer, agentId: string, name: string, execution: Execution): Promise<void> {
  const response = await fetch(`${foyer.url}/tools`, {
    method: "POST",
    headers: { ...authorized, "content-type": "application/json" },
    body: JSON.stringify({ agentId, name, description, inputSchema, ...execution }),
  });
  const answer = await response.text();
  if (response.status !== 201) throw new Error(`The tool was not created: ${answer}`);
}

const description =
  "Looks up an item of the shop: whether it is in stock, how many there are and when more will come. Use it before you promise anything.";
const inputSchema = {
  type: "object",
  properties: {
    item: { type: "integer", description: "The number of the item, as the catalogue has it" },
    size: { type: "string", enum: ["small", "medium", "large"], description: "Its size; all sizes when left out" },
    city: { type: "string", description: "The city whose shops are searched, such as Bremen" },
  },
  required: ["item"],
};
