import type { ReactNode } from "react";
import { Th } from "../../components/table.tsx";

/** The header of the actions column, visible to screen readers only. */
export function ActionsHeader() {
  return (
    <Th className="w-0">
      <span className="sr-only">Actions</span>
    </Th>
  );
}

export function ActionsCell({ children }: { children?: ReactNode }) {
  return (
    <td className="whitespace-nowrap">
      <div className="flex items-center justify-end">{children}</div>
    </td>
  );
}
