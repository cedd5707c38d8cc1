import { FoyerError } from "@foyer/sdk";
import { Combobox } from "../../../components/combobox.tsx";
import { NumberField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { useModelOptions } from "../../agents/model-field.tsx";
import { DEMO_MODEL } from "../../agents/model-name.ts";
import type { PriceRow } from "./price-rows.ts";

/** The length of every code of ISO 4217. */
const CURRENCY_CHARACTERS = 3;

/** The organization's own price of a model. */
export function PriceDialog({
  row,
  currency,
  onClose,
}: {
  /** Null for a model that is chosen in the dialog. */
  row: PriceRow | null;
  currency: string;
  onClose: () => void;
}) {
  const { input = null, cachedInput = null, output = null } = row?.price ?? {};
  const initial = { model: row?.model ?? "", input, cachedInput, output, currency };
  const form = useDialogForm(initial, async ({ model, ...price }) => {
    requireAmounts(price);
    const body = { ...price, currency: price.currency.trim().toUpperCase() };
    await api.putModelPrice({ model: model.trim(), body });
    await refresh("listModelPrices", "estimateModelCosts");
    notify(`Price of ${model.trim()} saved`);
    onClose();
  });
  const { values, change, errorAt } = form;
  const options = useModelOptions().filter(({ value }) => value !== DEMO_MODEL);
  const amount = { min: 0, step: "any", inputMode: "decimal", className: "max-w-40" } as const;
  return (
    <FormDialog
      title={row ? `Price of ${row.model}` : "Add price"}
      description="Per million tokens, as on your provider's price list."
      action="Save"
      form={form}
      onClose={onClose}
    >
      {!row && (
        <Combobox
          label="Model"
          placeholder="provider/model"
          className=""
          options={options}
          value={values.model}
          onChange={(model) => change({ model })}
          error={errorAt("model")}
        />
      )}
      <NumberField
        {...amount}
        label="Input"
        value={values.input}
        onChange={(value) => change({ input: value })}
        error={errorAt("input")}
      />
      <NumberField
        {...amount}
        label="Cached input"
        isOptional
        help="What the provider charges for input that it reads from its cache. Empty: as much as other input."
        value={values.cachedInput}
        onChange={(value) => change({ cachedInput: value })}
        error={errorAt("cachedInput")}
      />
      <NumberField
        {...amount}
        label="Output"
        value={values.output}
        onChange={(value) => change({ output: value })}
        error={errorAt("output")}
      />
      <TextField
        label="Currency"
        autoComplete="off"
        spellCheck={false}
        maxLength={CURRENCY_CHARACTERS}
        className="max-w-40 uppercase"
        help="A code such as USD or EUR. All your prices have the same currency. With another one than USD, the prices that Foyer ships with are not used."
        value={values.currency}
        onChange={(value) => change({ currency: value })}
        error={errorAt("currency")}
      />
    </FormDialog>
  );
}

type Amounts = { input: number | null; output: number | null };

/** @throws the error of each field that is empty, as the server would describe it */
function requireAmounts(price: Amounts): asserts price is { input: number; output: number } {
  const names = (["input", "output"] as const).filter((name) => price[name] === null);
  if (names.length === 0) return;
  const details = names.map((path) => ({ path, message: "This field is required." }));
  throw new FoyerError("VALIDATION_ERROR", "Some fields are empty.", { status: 400, details });
}
