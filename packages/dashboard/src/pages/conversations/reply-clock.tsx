import type { ReplyClock as Clock } from "@foyer/contract";
import { useNow, waitText } from "./waited.tsx";

const names = { firstAnswer: "First answer", nextAnswer: "Next answer", resolution: "Resolution" } as const;

/** How much time is left until the team's next target, from when three quarters of it have passed. */
export function ReplyClock({ clock }: { clock: Clock | null | undefined }) {
  const now = useNow();
  if (!clock || now < Date.parse(clock.warnAt)) return null;
  const left = Date.parse(clock.dueAt) - now;
  const text = left > 0 ? `due in ${waitText(left)}` : `late by ${waitText(-left)}`;
  return (
    <span title={`${names[clock.kind]} ${text}`} className={`shrink-0 ${left > 0 ? "text-warning" : "text-wrong"}`}>
      <span className="sr-only">{names[clock.kind]} </span>
      {text}
    </span>
  );
}
