import type { FoyerError } from "@foyer/sdk";
import { toSentence } from "../../components/use-draft.ts";
import { describePath } from "./problem-path.ts";
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
