import type { Output } from "@foyer/sdk";

type Role = Output<"listMembers">[number]["role"];

export const roleNames: Record<Role, string> = { member: "Member", admin: "Admin", owner: "Owner" };

/** The roles that the user may assign. Only owners can make someone an owner. */
export function assignableRoles(isOwner: boolean) {
  const roles: Role[] = isOwner ? ["member", "admin", "owner"] : ["member", "admin"];
  return roles.map((value) => ({ value, label: roleNames[value] }));
}

/** Hides the label, for tables whose column header names it. */
export function RoleSelect({
  label,
  value,
  isOwner,
  disabled,
  onChange,
}: {
  label: string;
  value: Role;
  isOwner: boolean;
  disabled: boolean;
  onChange: (role: Role) => void;
}) {
  return (
    <select
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.target.value as Role)}
      className="-ms-1 min-h-8 rounded-md border border-transparent bg-transparent hover:border-edge pointer-coarse:min-h-11 pointer-coarse:border-edge"
    >
      {assignableRoles(isOwner).map((role) => (
        <option key={role.value} value={role.value} className="bg-raised">
          {role.label}
        </option>
      ))}
    </select>
  );
}
