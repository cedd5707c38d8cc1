import type { DisplaySlot } from "@foyer/contract";
import { slotEditors } from "@foyer/contract/rules/display-editor";
import { describeDisplay } from "@foyer/contract/rules/display-types";
import { Plus, X } from "lucide-react";
import { Button, IconButton } from "../../../components/button.tsx";
import { Combobox } from "../../../components/combobox.tsx";
import { TextField } from "../../../components/field.tsx";
import { type Keyed, rowKey, withKey } from "../row-key.ts";
import type { MappingRow, ToolDraft } from "../tool-draft.ts";
import { listPaths, listPathsWithin, type ResultPath } from "./result-fields.ts";

type Props = {
  display: ToolDraft["displayConfig"];
  change: (part: Partial<ToolDraft["displayConfig"]>) => void;
  /** The result whose fields are offered, or `null` until one is known. */
  result: unknown;
  errorAt: (path: string) => string | undefined;
};

/** A row for each slot of the display, with the field of the result that fills it. */
export function SlotRows({ display, change, result, errorAt }: Props) {
  const { slots, list } = describeDisplay(display.type);
  const findPath = (slot: string) => display.fieldMappings.find((row) => row.slot === slot)?.path ?? "";
  const set = (slot: string, path: string) => {
    const others = display.fieldMappings.filter((row) => row.slot !== slot);
    change({ fieldMappings: path === "" ? others : [...others, withKey({ slot, path })] });
  };
  const field = (slot: DisplaySlot) => ({
    ...slotEditors[slot],
    value: findPath(slot),
    onChange: (path: string) => set(slot, path),
    error: errorAt(`displayConfig.fieldMappings.${slot}`),
  });
  const paths = result === null ? [] : listPaths(result);
  return (
    <div className="grid gap-4">
      {slots.map((slot) => (
        <PathField key={slot} {...field(slot)} paths={paths} />
      ))}
      {list && <PathField {...field(list.slot)} {...listField(result)} />}
      {list?.entrySlots.map((slot) => (
        <div key={slot} className="border-s border-line ps-4">
          <PathField
            {...field(slot)}
            label={`${slotEditors[slot].label} of each`}
            paths={result === null ? [] : listPathsWithin(result, findPath(list.slot))}
          />
        </div>
      ))}
    </div>
  );
}

/** Offers the lists of a result. The result itself is used when it is a list and nothing is mapped. */
function listField(result: unknown) {
  return {
    help: Array.isArray(result) ? "The result is a list. Leave this empty to show it." : undefined,
    paths: result === null ? [] : listPaths(result).filter(({ isList }) => isList),
  };
}

/** Slots named by the owner, with the field that fills each one: table columns, or the values of a custom display. */
export function OwnSlotRows({ display, change, result, errorAt }: Props) {
  const { list } = describeDisplay(display.type);
  const listPath = display.fieldMappings.find(({ slot }) => slot === list?.slot)?.path ?? "";
  const rows = display.fieldMappings.filter(({ slot }) => slot !== list?.slot);
  const paths = result === null ? [] : list ? listPathsWithin(result, listPath) : listPaths(result);
  const set = (rows: Keyed<MappingRow>[], path = listPath) =>
    change({ fieldMappings: list && path !== "" ? [withKey({ slot: list.slot, path }), ...rows] : rows });
  const offered = paths.find(({ path, isList }) => !isList && !rows.some((row) => row.path === path));
  return (
    <div className="grid gap-4">
      {list && (
        <PathField
          label={slotEditors[list.slot].label}
          value={listPath}
          onChange={(path) => set(rows, path)}
          error={errorAt(`displayConfig.fieldMappings.${list.slot}`)}
          {...listField(result)}
        />
      )}
      {rows.map((row, index) => (
        <fieldset key={rowKey(row)} className="flex items-start gap-2">
          <legend className="sr-only">
            {list ? "Column" : "Slot"} {index + 1}
          </legend>
          <div className="min-w-0 flex-1">
            <TextField
              label={list ? "Heading" : "Name"}
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
          set([...rows, withKey({ slot: offered ? toHeading(offered.path) : "", path: offered?.path ?? "" })])
        }
      >
        <Plus size={16} aria-hidden /> {list ? "Add column" : "Add slot"}
      </Button>
    </div>
  );
}

function PathField({
  paths,
  error,
  ...rest
}: {
  label: string;
  help?: string | undefined;
  error?: string | undefined;
  value: string;
  onChange: (path: string) => void;
  paths: ResultPath[];
}) {
  return (
    <Combobox
      {...rest}
      error={error}
      className="font-mono"
      placeholder="field"
      options={paths.map(({ path, sample }) => ({ value: path, hint: sample }))}
    />
  );
}

/** Turns `in_stock` into the heading "In stock". */
function toHeading(path: string): string {
  const words = (path.split(".").at(-1) ?? "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
