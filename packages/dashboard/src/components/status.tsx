import type { ReactNode } from "react";

type Tone = "plain" | "fine" | "warning" | "wrong" | "live";

const dots: Record<Tone, string> = {
  plain: "bg-edge",
  fine: "bg-fine-dot",
  warning: "bg-warning-dot",
  wrong: "bg-wrong-dot",
  live: "bg-lamp glow",
};

/** A status as a word with a colored dot. `live` is for activity right now. */
export function Status({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${dots[tone]}`} />
      {children}
    </span>
  );
}

/** A short label in a frame, such as a type. */
export function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex items-center rounded-md border border-line px-1.5 text-sm whitespace-nowrap text-soft">
      {children}
    </span>
  );
}
