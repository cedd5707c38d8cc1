import { useId } from "react";
import { fieldBox } from "./field.tsx";

/**
 * A segmented control with one selected option. The arrow keys move between options. `isSelectOnPhones` is for options
 * that would take more than one line of a narrow screen.
 */
export function SegmentedControl<Value extends string>({
  label,
  value,
  onChange,
  options,
  isSelectOnPhones = false,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: ReadonlyArray<{ value: Value; label: string }>;
  isSelectOnPhones?: boolean;
}) {
  const name = useId();
  const control = (
    <fieldset className="flex w-fit flex-wrap gap-1 rounded-lg border border-line bg-sunken p-1">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="relative flex min-h-7 items-center rounded-md px-3 text-soft has-checked:bg-thumb has-checked:text-ink has-checked:outline has-checked:outline-1 has-checked:outline-line has-focus-visible:outline-2 has-focus-visible:outline-ink pointer-coarse:min-h-11"
        >
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 m-0 size-full cursor-pointer appearance-none opacity-0"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
  if (!isSelectOnPhones) return control;
  return (
    <>
      <div className="max-sm:hidden">{control}</div>
      <select
        aria-label={label}
        value={value}
        onChange={({ target }) => {
          const option = options.find((known) => known.value === target.value);
          if (option) onChange(option.value);
        }}
        className={`${fieldBox} sm:hidden`}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </>
  );
}
