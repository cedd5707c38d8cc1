/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";

/** When a message was sent: the time of day, and the date unless it is today. */
export function MessageTime({ at }: { at: number }): JSX.Element {
  const { core } = usePanel();
  const date = new Date(at);
  // The visitor's own region decides between 12 and 24 hours. Chromium may report invalid tags such as "en-US@posix".
  const isUsable = (name: string) => name.startsWith(core.locale) && /^[a-z\d-]+$/i.test(name);
  const language = navigator.languages.find(isUsable) ?? core.locale;
  const isToday = date.toDateString() === new Date().toDateString();
  const format = new Intl.DateTimeFormat(language, {
    timeStyle: "short",
    ...(isToday ? {} : { dateStyle: "medium" }),
  });
  return (
    <time class="time" dateTime={date.toISOString()}>
      {format.format(date)}
    </time>
  );
}
