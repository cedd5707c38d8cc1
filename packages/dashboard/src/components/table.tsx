import type { ComponentProps, MouseEvent, ReactNode } from "react";

/**
 * A dense table with rows of 40 px. It scrolls horizontally within its own area, so the page never does. `label` names
 * its content.
 */
export function Table({ label, head, children }: { label: string; head: ReactNode; children: ReactNode }) {
  return (
    // `relative` also clips texts for screen readers only, which are positioned and would widen the page.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section className="relative -mx-2 overflow-x-auto" aria-label={label} tabIndex={0}>
      <table className="w-full border-collapse text-start">
        <thead>
          <tr className="border-b border-line text-sm text-soft">{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

export function Th({ isNumber = false, className = "", ...rest }: ComponentProps<"th"> & { isNumber?: boolean }) {
  return (
    <th
      scope="col"
      {...rest}
      className={`h-9 pe-4 font-medium whitespace-nowrap first:ps-2 last:pe-2 ${isNumber ? "text-end" : "text-start"} ${className}`}
    />
  );
}

export function Tr({ className = "", ...rest }: ComponentProps<"tr">) {
  return <tr {...rest} className={`h-10 border-b border-line hover:bg-hover ${className}`} />;
}

/**
 * A row whose click follows its first link. Keyboards and screen readers use the link itself; other controls in the
 * row keep their own clicks. Stretching the link over the row with an overlay does not work: in WebKit a `tr` is not a
 * containing block, so every overlay would cover the whole page.
 */
export function LinkTr({ className = "", ...rest }: ComponentProps<"tr">) {
  return (
    <tr
      {...rest}
      onClick={followLink}
      onAuxClick={followLink}
      onMouseDown={preventAutoscroll}
      className={`h-10 cursor-pointer border-b border-line hover:bg-hover ${className}`}
    />
  );
}

const controls = "a, button, input, select, textarea, label, summary, [role=switch], [role=menuitem]";

function followLink(event: MouseEvent<HTMLTableRowElement>) {
  const isLeft = event.button === 0;
  const isMiddle = event.button === 1;
  if (event.defaultPrevented || !(isLeft || isMiddle)) return;
  // React also propagates events from a menu or dialog that the row opened, although it is not inside the row.
  if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target)) return;
  if (event.target.closest(controls) || hasSelectionIn(event.currentTarget)) return;
  const link = event.currentTarget.querySelector<HTMLAnchorElement>("a[href]");
  if (!link) return;
  if (isLeft && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey) link.click();
  else window.open(link.href, "_blank", "noopener");
}

/** Whether the click ended a drag that selected text of the row. */
function hasSelectionIn(row: HTMLElement): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(row, true);
}

/** On Windows the middle button would start scrolling instead of opening the row in a new tab. */
function preventAutoscroll(event: MouseEvent) {
  if (event.button === 1) event.preventDefault();
}

export function Td({ isNumber = false, className = "", ...rest }: ComponentProps<"td"> & { isNumber?: boolean }) {
  return (
    <td
      {...rest}
      className={`py-1.5 pe-4 align-middle first:ps-2 last:pe-2 ${isNumber ? "text-end tabular-nums" : ""} ${className}`}
    />
  );
}
