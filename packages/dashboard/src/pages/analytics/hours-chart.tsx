import { Section } from "../../components/page.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { type Hour, toLocalHours } from "./analytics-range.ts";

const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const formatHour = (hour: number) => clock.format(new Date(2026, 0, 1, hour));

/** At what time of day visitors write, over the whole range. */
export function HoursChart({ hours }: { hours: readonly Hour[] }) {
  const local = toLocalHours(hours);
  const max = Math.max(1, ...local.map(({ replies }) => replies));
  return (
    <Section title="Time of day" description="Replies by the hour, in your time zone.">
      <figure className="min-w-0" aria-label="Replies by hour; the table below has the figures">
        <div aria-hidden className="mb-1 border-b border-line text-sm text-soft">
          {max.toLocaleString()} {max === 1 ? "reply" : "replies"}
        </div>
        <div aria-hidden className="flex h-40 items-end gap-px border-b border-line sm:gap-1">
          {local.map(({ hour, replies }) => (
            <div
              key={hour}
              title={`${formatHour(hour)}: ${replies.toLocaleString()}`}
              className="flex h-full flex-1 items-end hover:bg-hover"
            >
              <div
                className="w-full rounded-t-[2px] bg-ink"
                style={{ height: replies === 0 ? 0 : `${Math.max(2, (replies / max) * 100)}%` }}
              />
            </div>
          ))}
        </div>
        <div aria-hidden className="mt-1 grid grid-cols-4 text-sm text-soft">
          {[0, 6, 12, 18].map((hour) => (
            <span key={hour}>{formatHour(hour)}</span>
          ))}
        </div>
      </figure>
      <details className="min-w-0">
        <summary className="w-fit text-soft underline-offset-2 hover:underline">Show as a table</summary>
        <div className="mt-2">
          <Table
            label="Figures by hour"
            head={
              <>
                <Th>Hour</Th>
                <Th isNumber>Conversations started</Th>
                <Th isNumber>Replies</Th>
              </>
            }
          >
            {local.map(({ hour, conversations, replies }) => (
              <Tr key={hour}>
                <Td className="whitespace-nowrap">{formatHour(hour)}</Td>
                <Td isNumber>{conversations.toLocaleString()}</Td>
                <Td isNumber>{replies.toLocaleString()}</Td>
              </Tr>
            ))}
          </Table>
        </div>
      </details>
    </Section>
  );
}
