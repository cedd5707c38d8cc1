import { ListOption } from "./list-option.tsx";

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
        <ListOption
          key={option.value}
          listId={id}
          index={index}
          isActive={index === active}
          isSelected={option.value === value}
          onChoose={() => choose(option)}
        >
          <span className={option.value === value ? "font-medium" : ""}>{option.value || option.hint}</span>
          {option.value && option.hint && <span className="text-sm text-soft">{option.hint}</span>}
        </ListOption>
      ))}
    </div>
  );
}
