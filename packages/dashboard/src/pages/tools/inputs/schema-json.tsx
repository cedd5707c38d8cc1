import { useId } from "react";
import { Button } from "../../../components/button.tsx";
import { GrowingTextarea } from "../../../components/field.tsx";
import { toSentence } from "../../../components/use-draft.ts";
import { readSchemaText, type SchemaDraft } from "../input-schema-draft.ts";
import { readJson } from "../json-lines.ts";

type Problem = { line: number; message: string };

/**
 * The schema as JSON, with the same data as the fields. Errors from the browser and the server appear at their lines.
 */
export function SchemaJson({
  text,
  schema,
  onChange,
  errors,
}: {
  text: string;
  schema: SchemaDraft;
  onChange: (schema: SchemaDraft) => void;
  errors: ReadonlyArray<{ path: string; message: string }>;
}) {
  const id = useId();
  const problem = findProblem(text, errors);
  const write = (next: string) => {
    const read = readSchemaText(next);
    // Valid JSON also keeps its formatting, so that nothing moves while the user types.
    onChange("line" in read ? { ...schema, text: next } : { ...read, text: next });
  };
  const formatted = formatJson(text);
  return (
    <div className="grid gap-2">
      <label htmlFor={id} className="font-medium">
        JSON Schema
      </label>
      <div className="flex rounded-lg border border-edge bg-raised font-mono text-sm leading-5 has-aria-invalid:border-wrong has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ink">
        <div aria-hidden className="border-e border-line py-2 text-end text-soft select-none">
          {text.split("\n").map((_, index) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified by their numbers
              key={index}
              className={`min-w-10 px-2 ${problem?.line === index + 1 ? "bg-wrong font-medium text-paper" : ""}`}
            >
              {index + 1}
            </div>
          ))}
        </div>
        <GrowingTextarea
          id={id}
          value={text}
          onChange={(event) => write(event.target.value)}
          wrap="off"
          spellCheck={false}
          rows={text.split("\n").length}
          aria-invalid={problem ? true : undefined}
          aria-describedby={`${id}-state`}
          className="min-h-60 min-w-0 flex-1 resize-none overflow-x-auto bg-transparent px-3 py-2 text-[13px] leading-5 outline-none"
        />
      </div>
      <div className="flex min-h-9 flex-wrap items-center gap-3">
        <p id={`${id}-state`} role="status" className={`flex-1 ${problem ? "text-wrong" : "text-soft"}`}>
          {problem ? `Line ${problem.line}: ${problem.message}` : "The same data as the fields."}
        </p>
        {!problem && formatted !== text && <Button onClick={() => write(formatted)}>Format</Button>}
      </div>
    </div>
  );
}

function findProblem(text: string, errors: ReadonlyArray<{ path: string; message: string }>): Problem | null {
  const read = readSchemaText(text);
  if ("line" in read) return read;
  const [error] = errors;
  const json = readJson(text);
  if (!error || !("lineOf" in json)) return null;
  const path = error.path.replace(/^inputSchema\.?/, "");
  return {
    line: json.lineOf(path),
    message: `${path} ${toSentence(error.message).replace(/^./, (a) => a.toLowerCase())}`,
  };
}

function formatJson(text: string): string {
  const read = readJson(text);
  return "lineOf" in read ? JSON.stringify(read.value, null, 2) : text;
}
