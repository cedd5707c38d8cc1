import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { queryClient } from "../data/queries.ts";
import { serverPath } from "../data/server-address.ts";
import { Page, PageFrame } from "./page.tsx";
import { ErrorState, explainError, Skeleton, SkeletonRows } from "./states.tsx";

/** Shown while a page's code or first data takes longer than a moment to load. */
export function PendingPage() {
  return (
    <PageFrame>
      <Skeleton className="mb-6 h-7 w-48" />
      <SkeletonRows />
    </PageFrame>
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
    <Page title={explainError(error).title}>
      <ErrorState error={error} onRetry={retry} isTitleHidden />
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page title="Page not found" description="There is no page at this address.">
      <a href={serverPath("/dashboard")} className="underline underline-offset-2">
        Go to the dashboard
      </a>
    </Page>
  );
}

/** The error page for failures outside of the shell. It provides the `main` landmark that the shell would. */
export function FailedShell(props: ErrorComponentProps) {
  return (
    <main>
      <FailedPage {...props} />
    </main>
  );
}
