import type { FoyerError } from "@foyer/sdk";
import { toSentence } from "../../components/use-draft.ts";
import { type Part, partAt, partNames } from "./tool-parts.ts";

/** The errors of this part, and links to the other parts that have errors. */
export function ProblemList({
  errors,
  current,
  onGo,
}: {
  errors: FoyerError["details"];
  current: Part;
  onGo: (part: Part) => void;
}) {
  const elsewhere = [...new Set(errors.map(({ path }) => partAt(path)))].filter((part) => part !== current);
  const here = errors.filter(({ path }) => partAt(path) === current);
  if (errors.length === 0) return null;
  return (
    <div role="alert" className="mb-6 grid gap-1 border-s-2 border-wrong px-4 py-1">
      <p className="font-medium">Not saved. Fix the errors below.</p>
      {here.map(({ path, message }) => (
        <p key={path + message} className="text-soft">
          {describePath(path)} {toSentence(message).replace(/^./, (letter) => letter.toLowerCase())}
        </p>
      ))}
      {elsewhere.map((part) => (
        <p key={part}>
          <button type="button" className="underline underline-offset-2" onClick={() => onGo(part)}>
            Go to {partNames[part]}
          </button>
        </p>
      ))}
    </div>
  );
}

const known: Record<string, string> = {
  name: "The name",
  description: "The description",
  mockResponse: "The response",
  httpUrl: "The address",
  httpHeaders: "The header",
  httpBody: "The body",
  inputSchema: "The input schema",
  displayConfig: "The display",
  formSchema: "The form",
  formWebhookUrl: "The webhook's address",
  formClientHandler: "The handler's name",
  formPostActions: "Action",
};

/** A path as readable text: `formSchema.fields.2.label` becomes `The form: field 3, label`. */
function describePath(path: string): string {
  const [first = "", ...rest] = path.split(".").filter((part) => part !== "fieldMappings" && part !== "properties");
  const more = rest
    .map((part, index) => (/^\d+$/.test(part) ? `${Number(part) + 1}${index === rest.length - 1 ? "" : ","}` : part))
    .join(" ")
    .replace(/\bfields (\d)/, "field $1");
  const start = known[first] ?? first;
  return more === "" ? start : `${start}${first === "formPostActions" ? "" : ":"} ${more}`;
}
