import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { TextArea } from "../../components/field.tsx";
import { type ConditionRow, type Operator, operators, readRows, writeRows } from "./event-conditions.ts";

type Props = { value: unknown; error: string | undefined; onChange: (eventData: unknown) => void };

/** Conditions on an event's data, edited as rows or as JSON. */
export function EventBuilder(props: Props) {
  const [isJson, setJson] = useState(false);
  return (
    <fieldset className="grid gap-2">
      <div className="flex items-center gap-2">
        <legend className="float-start flex-1 font-medium">
          Conditions on the event data <span className="font-normal text-soft">(optional)</span>
        </legend>
        <Button variant="plain" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
          {isJson ? "Edit as rows" : "Edit as JSON"}
        </Button>
      </div>
      {isJson ? <JsonConditions {...props} /> : <RowConditions {...props} />}
    </fieldset>
  );
}

function RowConditions({ value, error, onChange }: Props) {
  // Empty rows are not part of the value, but must stay visible.
  const [written, setRows] = useState(() => readRows(value).map((row, id) => ({ ...row, id })));
  const [nextId, setNextId] = useState(written.length);
  // A value that does not come from these rows, for example after "Discard", replaces them.
  const isOwn = isSame(writeRows(written), writeRows(readRows(value)));
  const rows = isOwn ? written : readRows(value).map((row, id) => ({ ...row, id }));
  const show = (next: typeof rows) => {
    setRows(next);
    onChange(writeRows(next));
  };
  const change = (id: number, part: Partial<ConditionRow>) =>
    show(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <>
      {rows.length > 0 && (
        <ul className="grid gap-2">
          {rows.map((row, index) => (
            <RowFields
              key={row.id}
              row={row}
              name={`Condition ${index + 1}`}
              onChange={(part) => change(row.id, part)}
              onRemove={() => show(rows.filter(({ id }) => id !== row.id))}
            />
          ))}
        </ul>
      )}
      {error && <p className="text-sm text-wrong">{error}</p>}
      <p className="text-sm text-soft">
        {rows.length === 0
          ? "Without conditions, every event with this name matches."
          : "All conditions must match. Use dots for nested fields, such as items.0.sku. Put a number in quotes to compare it as text."}
      </p>
      <div>
        <Button
          onClick={() => {
            const id = Math.max(nextId, rows.length);
            setRows([...rows, { id, path: "", operator: "$eq", value: "" }]);
            setNextId(id + 1);
          }}
        >
          <Plus size={16} aria-hidden /> Add condition
        </Button>
      </div>
    </>
  );
}

const box = "min-h-9 w-full min-w-0 rounded-lg border border-edge bg-raised px-3 py-1.5 pointer-coarse:min-h-11";

function RowFields({
  row,
  name,
  onChange,
  onRemove,
}: {
  row: ConditionRow;
  name: string;
  onChange: (part: Partial<ConditionRow>) => void;
  onRemove: () => void;
}) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 sm:grid-cols-[minmax(0,1fr)_130px_minmax(0,1fr)_auto]">
      <input
        aria-label={`${name}: field`}
        placeholder="total"
        value={row.path}
        onChange={(event) => onChange({ path: event.target.value })}
        className={`${box} font-mono`}
      />
      <select
        aria-label={`${name}: comparison`}
        value={row.operator}
        onChange={(event) => onChange({ operator: event.target.value as Operator })}
        className={`${box} max-sm:order-2`}
      >
        {operators.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {row.operator === "$exists" ? (
        <select
          aria-label={`${name}: value`}
          value={row.value === "false" ? "false" : "true"}
          onChange={(event) => onChange({ value: event.target.value })}
          className={`${box} max-sm:order-3`}
        >
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      ) : (
        <input
          aria-label={`${name}: value`}
          placeholder={row.operator === "$in" || row.operator === "$nin" ? "EUR, CHF" : "500"}
          value={row.value}
          onChange={(event) => onChange({ value: event.target.value })}
          className={`${box} font-mono max-sm:order-3`}
        />
      )}
      <IconButton label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
        <X size={16} aria-hidden />
      </IconButton>
    </li>
  );
}

/** Invalid JSON is passed on as text, so that the server rejects it. */
function JsonConditions({ value, error, onChange }: Props) {
  const [written, setText] = useState(() => formatJson(value));
  // A value that does not come from this text, for example after "Discard", replaces it.
  const text = isSame(readJson(written).value, value ?? null) ? written : formatJson(value);
  const write = (next: string) => {
    setText(next);
    onChange(readJson(next).value);
  };
  return (
    <TextArea
      label="Conditions as JSON"
      help="Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains"
      value={text}
      onChange={write}
      error={readJson(text).problem ?? error}
      placeholder={'{ "total": { "$gte": 500 } }'}
      spellCheck={false}
      className="font-mono"
    />
  );
}

/** A string instead of conditions is unfinished JSON. */
function formatJson(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function readJson(text: string): { value: unknown; problem?: string } {
  try {
    return { value: text.trim() === "" ? null : JSON.parse(text) };
  } catch (cause) {
    return { value: text, problem: `This is not valid JSON: ${cause instanceof Error ? cause.message : cause}` };
  }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
