import { Plus, X } from "lucide-react";
import { useId } from "react";
import { Button, IconButton } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { type Keyed, keyed, keyOf } from "../row-key.ts";
import type { MappingRow, ToolDraft } from "../tool-draft.ts";
import { displayKinds } from "./display-kinds.ts";
import { pathsOf, pathsWithin, type ResultPath } from "./result-fields.ts";

type Props = {
  display: ToolDraft["displayConfig"];
  change: (part: Partial<ToolDraft["displayConfig"]>) => void;
  /** Whose fields are offered; `null` while no result is known. */
  result: unknown;
  errorAt: (path: string) => string | undefined;
};

/** One line for each slot of the display: which field of the result it gets. */
export function SlotRows({ display, change, result, errorAt }: Props) {
  const { slots } = displayKinds[display.type];
  const list = slots.find(({ isList }) => isList);
  const pathOf = (slot: string) => display.fieldMappings.find((row) => row.slot === slot)?.path ?? "";
  const set = (slot: string, path: string) => {
    const others = display.fieldMappings.filter((row) => row.slot !== slot);
    change({ fieldMappings: path === "" ? others : [...others, keyed({ slot, path })] });
  };
  const inner = list && result !== null ? pathsWithin(result, pathOf(list.slot)) : [];
  const outer = result === null ? [] : pathsOf(result);
  return (
    <div className="grid gap-4">
      {slots.map(({ slot, label, help, isList, isInList }) => (
        <div key={slot} className={isInList ? "border-s border-line ps-4" : ""}>
          <PathField
            label={isInList ? `${label} of each` : label}
            help={isList && Array.isArray(result) ? "The result itself is a list: this can be left empty" : help}
            value={pathOf(slot)}
            onChange={(path) => set(slot, path)}
            error={errorAt(`displayConfig.fieldMappings.${slot}`)}
            paths={isInList ? inner : outer.filter((path) => !isList || path.isList)}
          />
        </div>
      ))}
    </div>
  );
}

/** A table's columns, or the slots of a custom display: names of the owner's own, and the field that each gets. */
export function ColumnRows({ display, change, result, errorAt }: Props) {
  const isTable = display.type === "table";
  const rowsPath = display.fieldMappings.find(({ slot }) => slot === "rows")?.path ?? "";
  const rows = isTable ? display.fieldMappings.filter(({ slot }) => slot !== "rows") : display.fieldMappings;
  const paths = result === null ? [] : isTable ? pathsWithin(result, rowsPath) : pathsOf(result);
  const set = (rows: Keyed<MappingRow>[], path = rowsPath) =>
    change({ fieldMappings: isTable && path !== "" ? [keyed({ slot: "rows", path }), ...rows] : rows });
  const offered = paths.find(({ path, isList }) => !isList && !rows.some((row) => row.path === path));
  return (
    <div className="grid gap-4">
      {isTable && (
        <PathField
          label="List of rows"
          help={Array.isArray(result) ? "The result itself is a list: this can be left empty" : undefined}
          value={rowsPath}
          onChange={(path) => set(rows, path)}
          error={errorAt("displayConfig.fieldMappings.rows")}
          paths={result === null ? [] : pathsOf(result).filter(({ isList }) => isList)}
        />
      )}
      {rows.map((row, index) => (
        <fieldset key={keyOf(row)} className="flex items-start gap-2">
          <legend className="sr-only">
            {isTable ? "Column" : "Slot"} {index + 1}
          </legend>
          <div className="min-w-0 flex-1">
            <TextField
              label={isTable ? "Heading" : "Name"}
              value={row.slot}
              onChange={(slot) => set(rows.map((other) => (other === row ? { ...row, slot } : other)))}
              error={row.slot === "" ? undefined : errorAt(`displayConfig.fieldMappings.${row.slot}`)}
              autoComplete="off"
            />
          </div>
          <div className="min-w-0 flex-1">
            <PathField
              label="Field"
              value={row.path}
              onChange={(path) => set(rows.map((other) => (other === row ? { ...row, path } : other)))}
              paths={paths}
            />
          </div>
          <IconButton
            className="mt-6"
            label={`Remove ${row.slot || `${index + 1}`}`}
            onClick={() => set(rows.filter((other) => other !== row))}
          >
            <X size={16} aria-hidden />
          </IconButton>
        </fieldset>
      ))}
      <Button
        className="justify-self-start"
        onClick={() =>
          set([...rows, keyed({ slot: offered ? headingOf(offered.path) : "", path: offered?.path ?? "" })])
        }
      >
        <Plus size={16} aria-hidden /> {isTable ? "Add a column" : "Add a slot"}
      </Button>
    </div>
  );
}

function PathField({
  paths,
  ...rest
}: {
  label: string;
  help?: string | undefined;
  error?: string | undefined;
  value: string;
  onChange: (path: string) => void;
  paths: ResultPath[];
}) {
  const id = useId();
  return (
    <>
      <TextField {...rest} list={id} autoComplete="off" spellCheck={false} className="font-mono" placeholder="field" />
      <datalist id={id}>
        {paths.map(({ path, sample }) => (
          <option key={path} value={path} label={sample} />
        ))}
      </datalist>
    </>
  );
}

/** `in_stock` as a heading: In stock. */
function headingOf(path: string): string {
  const words = (path.split(".").at(-1) ?? "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
