import { useInboxLive } from "../../data/inbox-live.ts";

/**
 * Shows that the page receives no live updates at the moment. Missed changes appear once the connection is restored.
 */
export function ConnectionLost({ className = "" }: { className?: string }) {
  const isLost = useInboxLive((live) => live.isLost);
  return (
    <p role="status" className={`bg-sunken px-4 py-2 text-sm empty:hidden ${className}`}>
      {isLost && "Connection lost. Reconnecting… What you see may be out of date."}
    </p>
  );
}
