import type { ReactNode } from "react";
import { useRole } from "../data/use-role.ts";

/** Fields that only owners and admins can change. Members see them disabled, with the reason. */
export function AdminFields({ children }: { children: ReactNode }) {
  const { isAdmin } = useRole();
  return (
    <fieldset disabled={!isAdmin} className="contents">
      {children}
      {!isAdmin && <AdminNote>Only owners and admins can change this.</AdminNote>}
    </fieldset>
  );
}

/** Says what the user's role does not allow. */
export function AdminNote({ children }: { children: ReactNode }) {
  return <p className="text-sm text-soft">{children}</p>;
}
