import { matchEvent } from "@foyer/contract/rules/match-event";
import { useState } from "react";
import { TextArea } from "../../components/field.tsx";
import { Status } from "../../components/status.tsx";
import { readRows, rowInWords, writeRows } from "./event-conditions.ts";

/** Tries conditions on the data of an event, one by one, by the rule that visitors' pages use. */
export function EventTester({ event, eventData }: { event: string; eventData: unknown }) {
  const [text, setText] = useState('{ "total": 620, "items": [{ "sku": "tender-2" }] }');
  const data = parse(text);
  const rows = readRows(eventData);
  const holds = (conditions: unknown) =>
    data.isRead && matchEvent({ event, eventData: conditions as object | null }, event, data.value);
  return (
    <div className="grid gap-3 rounded-lg border border-line p-4">
      <TextArea
        label="Would this event run it?"
        help={`The data of an event as your code fires it: Foyer.track("${event || "name"}", data)`}
        value={text}
        onChange={setText}
        error={data.isRead ? undefined : `This is no JSON: ${data.problem}`}
        spellCheck={false}
        className="font-mono"
      />
      {data.isRead && (
        <ul aria-label="Which conditions hold" className="grid gap-1 text-sm">
          {rows.map((row) => (
            <li key={`${row.path} ${row.operator}`} className="flex items-baseline gap-3">
              <code className="min-w-0 flex-1">{rowInWords(row)}</code>
              {holds(writeRows([row])) ? (
                <Status tone="fine">Holds</Status>
              ) : (
                <Status tone="warning">Does not hold</Status>
              )}
            </li>
          ))}
          <li className="font-medium">
            {holds(eventData) ? "This event runs the trigger." : "This event does not run the trigger."}
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
