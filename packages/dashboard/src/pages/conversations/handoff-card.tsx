import { causeTexts, findAnswerAddress } from "./handoff-lines.ts";
import type { ConversationDetail } from "./split-reply.ts";

/** Why the conversation needs a person, with the agent's summary, and where answers to an absent visitor go. */
export function HandoffCard({ conversation }: { conversation: Pick<ConversationDetail, "handoff" | "handoffs"> }) {
  const { handoff } = conversation;
  if (!handoff) return null;
  const { cause, reason, summary } = handoff;
  const email = findAnswerAddress(conversation);
  const isRequest = cause !== "member" || reason !== null || Boolean(summary);
  if (!isRequest && email === null) return null;
  return (
    <section aria-label="Request for a person" className="border-b border-line bg-sunken px-4 py-2 sm:px-6">
      <div className="mx-auto grid max-h-[25vh] max-w-3xl gap-1 overflow-y-auto [overflow-wrap:anywhere]">
        {isRequest && (
          <p>
            <span className="font-medium">{causeTexts[cause]}</span>
            {reason && (
              <>
                : <q dir="auto">{reason}</q>
              </>
            )}
          </p>
        )}
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
