import * as Radix from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";

export type MenuItem = {
  label: string;
  /** A line that explains what the action does. */
  hint?: string;
  icon?: ReactNode;
  isDanger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
};

/** A button that opens a list of actions. `null` draws a separator. */
export function Menu({
  trigger,
  items,
  header,
  align = "end",
}: {
  trigger: ReactNode;
  items: ReadonlyArray<MenuItem | null>;
  header?: ReactNode;
  align?: "start" | "end";
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="appear z-50 max-h-[60vh] min-w-48 max-w-80 overflow-y-auto rounded-lg border border-line bg-raised p-1"
        >
          {header && <div className="border-b border-line px-3 py-2 text-sm text-soft">{header}</div>}
          {items.map((item, index) =>
            item === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name, and the list does not change while it is open
              <Radix.Separator key={index} className="my-1 h-px bg-line" />
            ) : (
              <Radix.Item
                key={item.label}
                disabled={item.disabled ?? false}
                onSelect={item.onSelect}
                className={`flex min-h-9 items-center gap-2 rounded-md px-3 py-1.5 outline-none data-disabled:text-edge data-highlighted:bg-hover pointer-coarse:min-h-11 ${item.isDanger ? "text-wrong" : ""}`}
              >
                {item.icon}
                {item.hint ? (
                  <span className="grid">
                    {item.label}
                    <span className="text-sm text-soft">{item.hint}</span>
                  </span>
                ) : (
                  item.label
                )}
              </Radix.Item>
            ),
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
