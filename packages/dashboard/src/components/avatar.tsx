import { toInitials } from "@foyer/contract/rules/initials";
import { UserRound } from "lucide-react";
import { Logo } from "./logo.tsx";

const circle = "inline-flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold";

/** The initials of a person. Hidden from screen readers, which read the name beside it, unless `label` is given. */
export function Avatar({ initials, label }: { initials: string; label?: string }) {
  return (
    <span
      {...(label ? { role: "img", "aria-label": label, title: label } : { "aria-hidden": true })}
      className={`${circle} bg-ink text-paper`}
    >
      {initials}
    </span>
  );
}

/** The initials of a visitor, or a figure if the name is not known. Hidden from screen readers, which read the name. */
export function VisitorAvatar({ name }: { name: string | null }) {
  return (
    <span aria-hidden className={`${circle} border border-line bg-raised text-ink`}>
      {name ? toInitials(name) : <UserRound size={14} />}
    </span>
  );
}

/** The lamp as the face of an agent. Hidden from screen readers, which read the agent's name. */
export function AgentAvatar() {
  return (
    <span aria-hidden className={circle}>
      <Logo size={20} />
    </span>
  );
}
