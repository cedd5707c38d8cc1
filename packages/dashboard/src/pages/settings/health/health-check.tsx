import type { Check } from "@foyer/contract";
import type { ReactNode } from "react";
import { Status } from "../../../components/status.tsx";

const states = {
  ok: { tone: "fine", text: "Works" },
  off: { tone: "plain", text: "Off" },
  warning: { tone: "warning", text: "Needs attention" },
  failure: { tone: "wrong", text: "Failing" },
} as const;

/** The result of one check, with the fix if there is a problem. */
export function HealthCheck({ state, title, detail, fix, children }: Omit<Check, "id"> & { children?: ReactNode }) {
  const { tone, text } = states[state];
  return (
    <li className="grid gap-x-6 gap-y-1 border-b border-line py-3 last:border-b-0 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <div>
        <Status tone={tone}>{text}</Status>
      </div>
      <div className="grid gap-1">
        <h3 className="font-medium">{title}</h3>
        <p className="max-w-[70ch] text-soft">{detail}</p>
        {fix && <p className="max-w-[70ch]">{fix}</p>}
        {children}
      </div>
    </li>
  );
}
