import { useEffect, useState } from "preact/hooks";

/** A value of the browser in a component, which renders again when one of the events has changed the value. */
export function useBrowserValue(read: () => boolean, target: EventTarget, ...events: string[]): boolean {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const life = new AbortController();
    const follow = () => setValue(read());
    for (const event of events) target.addEventListener(event, follow, life);
    return () => life.abort();
  }, []);
  return value;
}
