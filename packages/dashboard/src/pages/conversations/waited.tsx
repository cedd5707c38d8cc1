import type { Handoff } from "@foyer/contract";
import { useSyncExternalStore } from "react";

/**
 * How long a visitor has been waiting, updated continuously, with a label when the promised time has passed and when
 * the request was escalated.
 */
export function Waited({
  handoff,
  isShort = false,
}: {
  handoff: Pick<Handoff, "requestedAt" | "promisedAt" | "escalatedTo">;
  /** Hides the label of escalated requests. */
  isShort?: boolean;
}) {
  const now = useNow();
  const { escalatedTo = 0 } = handoff;
  const isLate = handoff.promisedAt !== null && now > Date.parse(handoff.promisedAt);
  return (
    <span className={isLate ? "text-wrong" : ""}>
      {isLate ? "Late, waiting" : "Waiting"} {waitText(now - Date.parse(handoff.requestedAt))}
      {!isShort && escalatedTo > 0 && (escalatedTo === 1 ? " · escalated" : ` · escalated ${escalatedTo} times`)}
    </span>
  );
}

/** A duration in its two largest units, from seconds to days. @param ms milliseconds; negative if a clock is behind */
export function waitText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds - (seconds % TICK_SECONDS)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

const TICK_SECONDS = 5;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time, updated every few seconds. One timer serves all components. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_SECONDS * 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
