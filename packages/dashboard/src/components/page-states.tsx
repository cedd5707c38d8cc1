import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { queryClient } from "../data/queries.ts";
import { Page } from "./page.tsx";
import { ErrorState, Skeleton, SkeletonRows } from "./states.tsx";

/** While a page's code or first data is on its way for longer than a blink. */
export function PendingPage() {
  return (
    <div className="mx-auto w-full max-w-4xl px-4 py-6 sm:px-8 sm:py-8">
      <Skeleton className="mb-6 h-7 w-48" />
      <SkeletonRows />
    </div>
  );
}

export function FailedPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = async () => {
    await queryClient.invalidateQueries();
    await router.invalidate();
    reset();
  };
  return (
    <Page title="Foyer">
      <ErrorState error={error} onRetry={retry} />
    </Page>
  );
}

export function NoPage() {
  return (
    <Page title="Not found" description="There is no page at this address.">
      <a href="/dashboard" className="underline underline-offset-2">
        To the dashboard
      </a>
    </Page>
  );
}
