import { useEffect, useState } from "react";
import { formatWait } from "./submission-labels.ts";

/** Counts down to a time, such as `in 4 min 5 s`. */
export function Countdown({ to }: { to: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const left = Date.parse(to) - now;
  return (
    <time dateTime={to} title={new Date(to).toLocaleString()}>
      {left > 0 ? `in ${formatWait(left)}` : "now"}
    </time>
  );
}
