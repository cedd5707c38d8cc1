import { DAY_MS } from "@foyer/contract/rules/time";
import { toMailSender } from "../../agents/mail-sender.ts";
import { createRatingToken } from "../../auth/conversation-token.ts";
import { canRate } from "../../conversations/log/conversation-ratings.ts";
import type { Deps } from "../../deps.ts";
import { MailError } from "../../outbound/send-email.ts";
import type { AttemptResult } from "../../outbox/attempts.ts";
import { createFinalFailure, delivered } from "../../outbox/send-response.ts";
import { ratingMail } from "./rating-mail.ts";
import type { NoticeStore, NoticeSubject } from "./store.ts";

/** How many of these emails an address gets in 24 hours, because anyone can leave somebody else's address. */
const MAILS_PER_DAY = 5;

/**
 * @returns a function that asks a visitor for a rating by email. The email is sent at most once, so it is not repeated
 * when it is unknown whether the mail server has accepted it, or when a process was killed while sending it.
 */
export function createRatingSender(
  { config, mailer, encryption }: Pick<Deps, "config" | "mailer" | "encryption">,
  store: Pick<NoticeStore, "claimRatingMail" | "countRatingMails" | "releaseRatingMail">,
) {
  return async ({ handoff, agent, conversation }: NoticeSubject): Promise<AttemptResult> => {
    const { email: to, organizationId, conversationId } = handoff;
    if (to === null) return createFinalFailure("No recipient", "The visitor has left no address.");
    const now = Date.now();
    if (conversation.ratedAt !== null || agent.askRating === null || !canRate(conversation, now)) return notNeeded;
    if ((await store.countRatingMails(organizationId, to, now - DAY_MS)) >= MAILS_PER_DAY) return tooMany;
    if (!(await store.claimRatingMail(handoff, now))) return unknown;
    const mail = ratingMail(
      {
        conversationId,
        agentName: agent.name,
        sender: toMailSender(agent),
        question: agent.ratingQuestion,
        context: conversation.context,
      },
      { baseUrl: config.baseUrl, token: createRatingToken(encryption, conversation) },
    );
    try {
      await mailer.send({ to, organizationId, ...mail, isSentOnce: true });
    } catch (error) {
      if (!(error instanceof MailError) || error.isUncertain) return unknown;
      await store.releaseRatingMail(handoff);
      throw error;
    }
    return delivered;
  };
}

const notNeeded = createFinalFailure("Not needed", "The conversation was already rated, or can no longer be rated.");

const tooMany = createFinalFailure(
  "Too many",
  `This address was asked for ${MAILS_PER_DAY} ratings in the last 24 hours. It is not asked again today.`,
);

const unknown = createFinalFailure(
  "Unknown",
  "The email may have been sent. It is not sent again, so that the visitor does not get it twice.",
);
