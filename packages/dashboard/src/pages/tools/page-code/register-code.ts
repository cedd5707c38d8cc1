import type { ToolDraft } from "../tool-draft.ts";

const identifier = /^[A-Za-z_$][\w$]*$/;

/** The lines that register a page action, with the names of its inputs. */
export function registerCode({ name, inputSchema }: Pick<ToolDraft, "name" | "inputSchema">): string {
  const names = inputSchema.inputs.map((input) => input.name).filter((input) => identifier.test(input));
  const input = names.length > 0 ? `{ ${names.join(", ")} }` : "input";
  return `<script>
  window.Foyer = window.Foyer || [];
  Foyer.push(["registerTool", "${name || "tool_name"}", async (${input}) => {
    // Do it here, and return what the agent should know.
    return { done: true };
  }, { confirm: "Go ahead?" }]);
</script>`;
}
