import { FoyerError } from "@foyer/sdk";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

/**
 * Describes what will appear here, with one button to get started. `preview` shows its shape, see
 * `empty-previews.tsx`.
 */
export function EmptyState({
  title,
  children,
  action,
  preview,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
  preview?: ReactNode;
}) {
  return (
    <div className={`grid gap-8 rounded-lg border border-line px-6 pt-8 ${preview ? "pb-2" : "pb-8"}`}>
      <div className="grid justify-items-start gap-3">
        <h2 className="text-lg">{title}</h2>
        <div className="max-w-[60ch] text-soft">{children}</div>
        {action}
      </div>
      {preview}
    </div>
  );
}

/**
 * Shows what failed, why, and what to do. A missing resource and a resource of another organization have the same text.
 * `isTitleHidden` is for pages that already have the title as their heading.
 */
export function ErrorState({
  error,
  onRetry,
  isTitleHidden = false,
}: {
  error: unknown;
  onRetry?: () => void;
  isTitleHidden?: boolean;
}) {
  const { title, text, canRetry } = explainError(error);
  return (
    <div role="alert" className="grid justify-items-start gap-3 border-s-2 border-wrong px-6 py-4">
      {!isTitleHidden && <h2 className="text-lg">{title}</h2>}
      <p className="max-w-[60ch] text-soft">{text}</p>
      {onRetry && canRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Explains an error to the user. */
export function explainError(error: unknown): { title: string; text: string; canRetry: boolean } {
  if (!(error instanceof FoyerError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return { title: "This page failed to load", text: `Something went wrong on this page: ${reason}`, canRetry: true };
  }
  const { code, message, isTemporary } = error;
  if (code === "NOT_FOUND") {
    return {
      title: "Not found",
      text: "It may have been deleted, the address may be wrong, or it may belong to another organization.",
      canRetry: false,
    };
  }
  if (code === "FORBIDDEN") return { title: "You don't have access", text: message, canRetry: false };
  if (code === "UNREACHABLE") {
    return {
      title: "Can't reach the server",
      text: "Check your connection and make sure the server is running. Nothing was lost.",
      canRetry: true,
    };
  }
  return { title: "Something went wrong", text: message, canRetry: isTemporary };
}

/** A placeholder with the final size of the loading content. */
export function Skeleton({ className = "h-5" }: { className?: string }) {
  return <div aria-hidden className={`glow rounded-md bg-sunken ${className}`} />;
}

/** Placeholder rows of a table or list. */
export function SkeletonRows({ count = 6, label = "Loading" }: { count?: number; label?: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
        <div key={index} className="flex h-10 items-center border-b border-line">
          <Skeleton className="h-4 w-full max-w-md" />
        </div>
      ))}
    </div>
  );
}
