import { useInboxLive } from "../../data/inbox-live.ts";

/** Says that nothing is pushed at the moment. What was missed appears once the connection is back. */
export function ConnectionLost({ className = "" }: { className?: string }) {
  const isLost = useInboxLive((live) => live.isLost);
  return (
    <p role="status" className={`bg-sunken px-4 py-2 text-sm empty:hidden ${className}`}>
      {isLost && "Connection lost. Reconnecting… What you see may be out of date."}
    </p>
  );
}
