import { matchEvent } from "@foyer/contract/rules/match-event";
import { useState } from "react";
import { TextArea } from "../../components/field.tsx";
import { Status } from "../../components/status.tsx";
import { describeRow, readRows, writeRows } from "./event-conditions.ts";

/** Tests event data against each condition with the same rule that the widget uses. */
export function EventTester({ event, eventData }: { event: string; eventData: unknown }) {
  const [text, setText] = useState('{ "total": 620, "items": [{ "sku": "tender-2" }] }');
  const data = parse(text);
  const rows = readRows(eventData);
  const matches = (conditions: unknown) =>
    data.isRead && matchEvent({ event, eventData: conditions as object | null }, event, data.value);
  return (
    <div className="grid gap-3 rounded-lg border border-line p-4">
      <TextArea
        label="Test event data"
        help={`The data argument of Foyer.track("${event || "name"}", data), as JSON.`}
        value={text}
        onChange={setText}
        error={data.isRead ? undefined : `This is not valid JSON: ${data.problem}`}
        spellCheck={false}
        className="font-mono"
      />
      {data.isRead && (
        <ul aria-label="Test results" className="grid gap-1 text-sm">
          {rows.map((row) => (
            <li key={`${row.path} ${row.operator}`} className="flex items-baseline gap-3">
              <code className="min-w-0 flex-1">{describeRow(row)}</code>
              {matches(writeRows([row])) ? (
                <Status tone="fine">Matches</Status>
              ) : (
                <Status tone="warning">No match</Status>
              )}
            </li>
          ))}
          <li className="font-medium">
            {matches(eventData) ? "This event runs the trigger." : "This event does not run the trigger."}
          </li>
        </ul>
      )}
    </div>
  );
}

function parse(text: string): { isRead: true; value: unknown } | { isRead: false; problem: string } {
  try {
    return { isRead: true, value: text.trim() === "" ? undefined : JSON.parse(text) };
  } catch (error) {
    return { isRead: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
