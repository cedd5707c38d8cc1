import { causeTexts } from "./handoff-lines.ts";
import type { ConversationDetail } from "./split-reply.ts";

/** Why the conversation needs a person, with the agent's summary. */
export function HandoffCard({ handoff }: { handoff: ConversationDetail["handoff"] }) {
  if (!handoff || (handoff.cause === "member" && !handoff.reason && !handoff.summary)) return null;
  const { cause, reason, summary, email } = handoff;
  return (
    <section aria-label="Request for a person" className="border-b border-line bg-sunken px-4 py-2 sm:px-6">
      <div className="mx-auto grid max-h-[25vh] max-w-3xl gap-1 overflow-y-auto">
        <p>
          <span className="font-medium">{causeTexts[cause]}</span>
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
