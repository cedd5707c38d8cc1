import { useSyncExternalStore } from "react";

/** Progress of an agent's onboarding, stored in this browser. `step` is the last visited step. */
export type OnboardingProgress = { agentId: string; step: string; done: readonly string[] };

const key = "foyer.onboarding";
const listeners = new Set<() => void>();
let cached: { text: string | null; progress: OnboardingProgress | null } = { text: null, progress: null };

/** The onboarding that is neither finished nor dismissed, or `null`. */
export function useOnboarding(): OnboardingProgress | null {
  return useSyncExternalStore(subscribe, read);
}

export function rememberOnboarding(agentId: string, step: string, done: readonly string[] = []): void {
  const before = read();
  const kept = before?.agentId === agentId ? before.done : [];
  const all = [...new Set([...kept, ...done])];
  if (before?.agentId === agentId && before.step === step && all.length === kept.length) return;
  write({ agentId, step, done: all });
}

/** Ends the onboarding after it was finished or dismissed. */
export function endOnboarding(): void {
  if (read()) write(null);
}

function read(): OnboardingProgress | null {
  const text = localStorage.getItem(key);
  if (text !== cached.text) cached = { text, progress: parse(text) };
  return cached.progress;
}

function parse(text: string | null): OnboardingProgress | null {
  if (text === null) return null;
  try {
    const { agentId, step, done } = JSON.parse(text) as Partial<OnboardingProgress>;
    return agentId && step && Array.isArray(done) ? { agentId, step, done } : null;
  } catch {
    // The stored value may come from another version of the dashboard.
    return null;
  }
}

function write(progress: OnboardingProgress | null) {
  if (progress) localStorage.setItem(key, JSON.stringify(progress));
  else localStorage.removeItem(key);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
