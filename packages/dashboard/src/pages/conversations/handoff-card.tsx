import type { HandoffCause } from "@foyer/contract";
import type { ConversationDetail } from "./split-reply.ts";

const causes: Record<HandoffCause, string> = {
  visitor: "The visitor asked for a person",
  agent: "The agent asked for a person",
  rating: "Asked for a person after bad ratings",
  failed_tools: "Asked for a person after failed tool calls",
  custom_event: "Asked for a person after an event of the page",
  member: "A member took over",
};

/** Why the conversation needs a person, with the agent's summary. */
export function HandoffCard({ handoff }: { handoff: ConversationDetail["handoff"] }) {
  if (!handoff || (handoff.cause === "member" && !handoff.reason && !handoff.summary)) return null;
  const { cause, reason, summary, email } = handoff;
  return (
    <section aria-label="Request for a person" className="border-b border-line bg-sunken px-4 py-2 sm:px-6">
      <div className="mx-auto grid max-h-[25vh] max-w-3xl gap-1 overflow-y-auto">
        <p>
          <span className="font-medium">{causes[cause]}</span>
          {reason && (
            <>
              : <q dir="auto">{reason}</q>
            </>
          )}
        </p>
        {summary && (
          <p className="text-soft" dir="auto">
            {summary}
          </p>
        )}
        {email && <p className="text-soft">While the visitor is away, your answer goes to {email}.</p>}
      </div>
    </section>
  );
}
