import { Button } from "../../components/button.tsx";
import { TextArea } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { Status } from "../../components/status.tsx";
import { readJson } from "./json-lines.ts";
import type { PartProps } from "./tool-editor.tsx";

/** The response of a canned answer: text, or JSON for a display. */
export function ResponsePart({ draft }: PartProps) {
  const { mockResponse: text } = draft.values;
  const state = describeState(text);
  return (
    <div className="max-w-3xl">
      <Section
        title="Response"
        description="The agent receives this text. If it is JSON, visitors can see parts of it as cards, a table or buttons."
      >
        <TextArea
          label="Response"
          value={text}
          onChange={(mockResponse) => draft.change({ mockResponse })}
          error={draft.errorAt("mockResponse")}
          className="min-h-60 font-mono"
          spellCheck={false}
          rows={12}
          placeholder={
            'Tuesday to Friday 9:00 to 18:00, Saturday 10:00 to 16:00\n\nor\n\n{ "price": 690, "in_stock": true }'
          }
        />
        <div className="flex min-h-9 flex-wrap items-center gap-3">
          <span role="status" className="flex-1">
            {state.words}
          </span>
          {state.formatted !== null && state.formatted !== text && (
            <Button onClick={() => draft.change({ mockResponse: state.formatted ?? "" })}>Format JSON</Button>
          )}
        </div>
      </Section>
    </div>
  );
}

/** How the server interprets the response. Only text that begins like an object or a list counts as JSON. */
function describeState(text: string) {
  if (text.trim() === "") return { words: <Status tone="warning">Empty</Status>, formatted: null };
  if (!/^\s*[[{]/.test(text)) return { words: <Status>Text</Status>, formatted: null };
  const read = readJson(text);
  if ("lineOf" in read) {
    return { words: <Status tone="fine">JSON</Status>, formatted: JSON.stringify(read.value, null, 2) };
  }
  const words = (
    <Status tone="warning">
      <span className="whitespace-normal">
        Used as text, because the JSON is invalid. Line {read.line}: {read.message}
      </span>
    </Status>
  );
  return { words, formatted: null };
}
