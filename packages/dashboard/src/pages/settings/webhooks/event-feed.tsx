import { useQuery } from "@tanstack/react-query";
import { CopyField } from "../../../components/copy-field.tsx";
import { Toggle } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { ErrorState, Skeleton } from "../../../components/states.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { serverPath, serverUrl } from "../../../data/server-address.ts";

const link = "text-ink underline underline-offset-2";

/** Turns the event feed on or off, and shows how it is read. */
export function EventFeedSection() {
  const { data, error, refetch } = useQuery(endpointQuery("getEventFeed"));
  const put = useEndpointMutation("putEventFeed", {
    changes: ["getEventFeed"],
    done: ({ isEnabled }) => (isEnabled ? "Event feed switched on" : "Event feed switched off"),
  });
  return (
    <Section
      title="Event feed"
      description={
        <>
          For receivers behind a firewall: instead of receiving webhooks, they fetch the same events from the last 30
          days.{" "}
          <a href={serverPath("/docs/events")} className={link}>
            How events work
          </a>
        </>
      }
    >
      {error && !data && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="h-10" />}
      {data && (
        <Toggle
          label="Record events for the feed"
          help={
            data.isEnabled
              ? "Events are recorded from the moment you switch the feed on."
              : "While it is off, GET /events is rejected and events are recorded only for webhooks."
          }
          value={data.isEnabled}
          disabled={put.isPending}
          onChange={(isEnabled) => put.mutate({ body: { isEnabled } })}
        />
      )}
      {data?.isEnabled && (
        <>
          <CopyField label="the request" text={request()} />
          <p className="max-w-[70ch] text-soft">
            The response contains <code>events</code> and a <code>cursor</code>. Store the cursor once you have
            processed the events, and pass it as <code>after</code> next time. No event is skipped or repeated.
          </p>
        </>
      )}
    </Section>
  );
}

function request(): string {
  return `# First call: the oldest events\ncurl "${serverUrl()}/events?limit=100" \\\n  -H "Authorization: Bearer $FOYER_API_KEY"\n\n# Next calls: what happened since\ncurl "${serverUrl()}/events?after=$CURSOR&limit=100" \\\n  -H "Authorization: Bearer $FOYER_API_KEY"`;
}
