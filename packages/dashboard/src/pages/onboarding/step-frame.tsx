import type { ComponentProps, ReactNode } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { findAdjacentStep, type OnboardingStep } from "./onboarding-steps.ts";

/**
 * The frame of a step: its question, the reason for it, and the Back and Continue buttons. With `onSubmit`, Continue
 * saves first.
 */
export function StepFrame({
  title,
  description,
  children,
  ...ways
}: { title: string; description: ReactNode; children: ReactNode } & ComponentProps<typeof StepButtons>) {
  return (
    <section className="grid gap-6">
      <header>
        <h2 className="text-lg">{title}</h2>
        <p className="mt-1 max-w-[60ch] text-soft">{description}</p>
      </header>
      {children}
      <StepButtons {...ways} />
    </section>
  );
}

function StepButtons({
  step,
  agentId,
  next,
  isBusy = false,
  isMain = true,
}: {
  step: OnboardingStep;
  agentId: string | null;
  /** The label of the Continue button, or null without one. `isSubmit` makes it submit the form. */
  next: { label: string; isSubmit: boolean } | null;
  isBusy?: boolean;
  /** Whether continuing is the primary action now. */
  isMain?: boolean;
}) {
  const before = findAdjacentStep(step, -1);
  const after = findAdjacentStep(step, 1);
  const variant = isMain ? "main" : "quiet";
  return (
    <div className="flex flex-wrap items-center gap-2">
      {next?.isSubmit && (
        <Button type="submit" variant={variant} isBusy={isBusy}>
          {next.label}
        </Button>
      )}
      {next && !next.isSubmit && agentId && after && (
        <ButtonLink variant={variant} to="/start" search={{ agentId, step: after }}>
          {next.label}
        </ButtonLink>
      )}
      {agentId && before && (
        <ButtonLink variant="plain" to="/start" search={{ agentId, step: before }}>
          Back
        </ButtonLink>
      )}
    </div>
  );
}
