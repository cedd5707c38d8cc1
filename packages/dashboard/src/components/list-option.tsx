import type { ReactNode } from "react";

/**
 * One option of a list box whose text field keeps the focus and handles the keys. Its id is `<listId>-<index>`, to which
 * the field's `aria-activedescendant` refers.
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
      className={`grid min-h-9 cursor-pointer content-center rounded-md px-3 py-1 hover:bg-sunken pointer-coarse:min-h-11 ${isActive ? "bg-sunken" : ""}`}
    >
      {children}
    </div>
  );
}
