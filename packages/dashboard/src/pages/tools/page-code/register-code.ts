import type { ToolDraft } from "../tool-draft.ts";

const identifier = /^[A-Za-z_$][\w$]*$/;
/** Words that JavaScript does not allow as variable names in an async function of a script or module. */
const reservedWords = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private protected " +
    "public return static super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

/** The lines that register a page action, with the names of its inputs. */
export function registerCode({ name, inputSchema }: Pick<ToolDraft, "name" | "inputSchema">): string {
  const names = inputSchema.inputs.map((input) => input.name).filter(isVariableName);
  const input = names.length > 0 ? `{ ${names.join(", ")} }` : "input";
  return `<script>
  window.Foyer = window.Foyer || [];
  Foyer.push(["registerTool", "${name || "tool_name"}", async (${input}) => {
    // Do it here, and return what the agent should know.
    return { done: true };
  }, { confirm: "Go ahead?" }]);
</script>`;
}

const isVariableName = (name: string) => identifier.test(name) && !reservedWords.has(name);
