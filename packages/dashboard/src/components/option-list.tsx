export type Option = { value: string; hint?: string };

/** The options that a text field offers while the user types. The field keeps the focus and handles the keys. */
export function OptionList({
  id,
  label,
  options,
  active,
  value,
  choose,
  top,
}: {
  id: string;
  label: string;
  /** The list is hidden when it has no options. */
  options: readonly Option[];
  /** Index of the option highlighted by the arrow keys, or -1. */
  active: number;
  value: string;
  choose: (option: Option) => void;
  /** Distance from the top of the field in pixels. Below the field by default. */
  top?: number | undefined;
}) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label={`${label} options`}
      hidden={options.length === 0}
      style={top === undefined ? undefined : { top }}
      className="absolute inset-x-0 top-full z-30 mt-1 max-h-72 overflow-y-auto rounded-lg border border-line bg-raised p-1"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input keeps the focus and takes the keys
        <div
          key={option.value}
          id={`${id}-${index}`}
          ref={(element) => {
            if (index === active) element?.scrollIntoView({ block: "nearest" });
          }}
          role="option"
          tabIndex={-1}
          aria-selected={option.value === value}
          // The input would lose the focus, and the list would close before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(option)}
          className={`grid min-h-9 cursor-pointer content-center rounded-md px-3 py-1 hover:bg-sunken aria-selected:font-medium pointer-coarse:min-h-11 ${index === active ? "bg-sunken" : ""}`}
        >
          {option.value || option.hint}
          {option.value && option.hint && <span className="text-sm font-normal text-soft">{option.hint}</span>}
        </div>
      ))}
    </div>
  );
}
