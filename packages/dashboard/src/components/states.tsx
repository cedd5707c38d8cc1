import { FoyerError } from "@foyer/sdk";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

/** What would be here, and one button that gets there. */
export function EmptyState({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-3 rounded-lg border border-dashed border-edge px-6 py-8">
      <h2 className="text-lg">{title}</h2>
      <div className="max-w-[60ch] text-soft">{children}</div>
      {action}
    </div>
  );
}

/** What failed, why, and what to do. What is not there, or not the viewer's, reads the same. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, text, canRetry } = explain(error);
  return (
    <div role="alert" className="grid justify-items-start gap-3 border-s-2 border-wrong px-6 py-4">
      <h2 className="text-lg">{title}</h2>
      <p className="max-w-[60ch] text-soft">{text}</p>
      {onRetry && canRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

function explain(error: unknown) {
  if (!(error instanceof FoyerError)) {
    const text = `This page met an error of its own: ${error instanceof Error ? error.message : String(error)}`;
    return { title: "This page failed", text, canRetry: true };
  }
  const { code, message, isTemporary } = error;
  if (code === "NOT_FOUND") {
    return {
      title: "Not found",
      text: "It was deleted, the address is wrong, or it belongs to another account.",
      canRetry: false,
    };
  }
  if (code === "FORBIDDEN") return { title: "Not open to you", text: message, canRetry: false };
  if (code === "UNREACHABLE") {
    return {
      title: "The server could not be reached",
      text: "Check your connection, and that the server runs. Nothing was lost.",
      canRetry: true,
    };
  }
  return { title: "That did not work", text: message, canRetry: isTemporary };
}

/** Stands where something will be, in its final size. */
export function Skeleton({ className = "h-5" }: { className?: string }) {
  return <div aria-hidden className={`glow rounded-md bg-sunken ${className}`} />;
}

/** Rows of a table or list that are still to come. */
export function SkeletonRows({ count = 6, label = "Loading" }: { count?: number; label?: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all alike
        <div key={index} className="flex h-10 items-center border-b border-line">
          <Skeleton className="h-4 w-full max-w-md" />
        </div>
      ))}
    </div>
  );
}
