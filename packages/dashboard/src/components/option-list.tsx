import type { ReactNode } from "react";

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

/**
 * One option of a list box whose text field keeps the focus and handles the keys. Its id is `<listId>-<index>`, to
 * which the field's `aria-activedescendant` refers.
 * @param isActive the arrow keys have highlighted this option, which scrolls it into view
 */
export function ListOption({
  listId,
  index,
  isActive,
  isSelected = isActive,
  onChoose,
  children,
}: {
  listId: string;
  index: number;
  isActive: boolean;
  isSelected?: boolean;
  onChoose: () => void;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
    <div
      id={`${listId}-${index}`}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: "nearest" });
      }}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      // The field would lose the focus, and the list would close before the click.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={`grid min-h-9 cursor-pointer content-center rounded-md px-3 py-1 hover:bg-hover pointer-coarse:min-h-11 ${isActive ? "bg-sunken" : ""}`}
    >
      {children}
    </div>
  );
}
