import { findInputNames, splitTemplate } from "@foyer/contract/rules/url-template";
import { Plus } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { withKey } from "../row-key.ts";
import type { ToolDrafting } from "../tool-editor.tsx";

/** The URL with its placeholders highlighted, the inputs it lacks, and where the remaining inputs are sent. */
export function UrlPreview({ draft }: { draft: ToolDrafting }) {
  const { values, change } = draft;
  const { inputs } = values.inputSchema;
  const named = findInputNames(values.httpUrl);
  const hasBody = values.httpMethod === "POST" || values.httpMethod === "PUT";
  const hasTemplate = hasBody && values.httpBody.trim() !== "";
  const used = hasTemplate ? [...named, ...findInputNames(values.httpBody)] : named;
  const unused = inputs.map(({ name }) => name).filter((name) => name !== "" && !used.includes(name));
  const unknown = named.filter((name) => !inputs.some((input) => input.name === name));
  const addInput = (name: string) => {
    const row = withKey({ name, isRequired: true, schema: { type: "string" } });
    change({ inputSchema: { ...values.inputSchema, inputs: [...inputs, row] } });
  };
  return (
    <div className="grid gap-3 empty:hidden">
      {named.length > 0 && <Highlighted url={values.httpUrl} />}
      {unknown.map((name) => (
        <div key={name} className="flex flex-wrap items-center gap-3">
          <p className="text-warning">
            The tool has no input named <code>{name}</code>.
          </p>
          <Button onClick={() => addInput(name)}>
            <Plus size={16} aria-hidden /> Add input {name}
          </Button>
        </div>
      ))}
      {unused.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 text-soft">
          <span>{describeUnused(unused.length, hasTemplate ? "nowhere" : hasBody ? "body" : "query")}</span>
          {unused.map((name) => (
            <button
              key={name}
              type="button"
              className="min-h-6 rounded-md border border-edge px-1.5 font-mono text-sm text-ink hover:bg-hover"
              onClick={() => change({ httpUrl: `${values.httpUrl}{${name}}` })}
            >
              {`{${name}}`}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Describes where the inputs are sent that neither the URL nor the body template contains. */
function describeUnused(count: number, place: "body" | "query" | "nowhere"): string {
  const inputs = count === 1 ? "This input is" : "These inputs are";
  const it = count === 1 ? "it" : "one";
  if (place === "nowhere")
    return `${inputs} not part of the URL or the body, and not sent. To send ${it} in the URL, add it:`;
  const where = place === "body" ? "the JSON body" : "the query string";
  return `${inputs} sent in ${where}. To send ${it} in the URL instead, add it:`;
}

function Highlighted({ url }: { url: string }) {
  return (
    <p className="rounded-lg bg-sunken px-3 py-2 font-mono text-sm leading-6 text-soft">
      <span className="sr-only">Read as: </span>
      {splitTemplate(url).map(({ kind, text }, index) =>
        kind === "text" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other identity
          <span key={index}>{text}</span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other identity
          <mark key={index} className="rounded-md border border-edge bg-raised px-1 text-ink">
            {text}
          </mark>
        ),
      )}
    </p>
  );
}
