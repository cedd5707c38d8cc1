import type { ComponentProps, ReactNode } from "react";

/** A dense table with rows of 40 px. It scrolls sideways by itself, so that the page never does. `label` says what it lists. */
export function Table({ label, head, children }: { label: string; head: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="overflow-x-auto" aria-label={label} tabIndex={0}>
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
      className={`h-9 pe-4 font-medium whitespace-nowrap ${isNumber ? "text-end" : "text-start"} ${className}`}
    />
  );
}

/** With `relative` rows a link in a cell can cover its whole row: give it `after:absolute after:inset-0`. */
export function Tr({ className = "", ...rest }: ComponentProps<"tr">) {
  return <tr {...rest} className={`relative h-10 border-b border-line hover:bg-sunken ${className}`} />;
}

export function Td({ isNumber = false, className = "", ...rest }: ComponentProps<"td"> & { isNumber?: boolean }) {
  return <td {...rest} className={`py-1.5 pe-4 align-middle ${isNumber ? "text-end" : ""} ${className}`} />;
}
