import { useId } from "react";

/** One of a few, all in sight: radio buttons in the shape of a bar. */
export function Segmented<Value extends string>({
  label,
  value,
  onChange,
  options,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: ReadonlyArray<{ value: Value; label: string }>;
}) {
  const name = useId();
  return (
    <fieldset className="inline-flex w-fit flex-wrap rounded-lg border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="inline-flex min-h-8 cursor-pointer items-center rounded-md px-3 text-soft has-checked:bg-raised has-checked:text-ink has-checked:outline has-checked:outline-line has-focus-visible:outline-2 has-focus-visible:outline-ink pointer-coarse:min-h-11"
        >
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
