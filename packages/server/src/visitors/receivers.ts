import type { Compilable } from "kysely";
import type { Deps } from "../deps.ts";
import { mayHaveArrived, platformHost } from "../outbox/sent-hosts.ts";
import type { Batch } from "./batch.ts";

type SentDelivery = { kind: string; type: string; host: string; target: string };

/** `userId` is the member who received a notice. The `to` of an answer to the visitor is a position. */
type MailTarget = { to?: string[] | number; recipientIds?: string[]; userId?: string };

/**
 * Finds the hosts and mail recipients that submissions, events and notices were sent to, including members who have
 * left. Confirmations and answers of members went to the visitor.
 */
export function createReceivers({ db, reads }: Pick<Deps, "db" | "reads">) {
  const sentDeliveries = db
    .selectFrom("deliveries")
    .select(["deliveries.kind", "deliveries.type", "host", "target"])
    .distinct()
    .where(mayHaveArrived)
    .where("purpose", "<>", "confirmation");
  const ofEvents = sentDeliveries.innerJoin("events", "events.id", "deliveries.eventId");
  /** Hosts of deliveries that have been deleted. */
  const earlierHosts = db.selectFrom("sentHosts").select("host").distinct();

  return async (organizationId: string, { submissionIds, conversations }: Batch): Promise<string[]> => {
    const read = <Row>(keys: readonly string[], query: () => Compilable<Row>): Promise<Row[]> =>
      keys.length === 0 ? Promise.resolve([]) : reads.run(query(), { lane: "list", owner: organizationId });
    const ids = conversations.map(({ id }) => id);
    const sent: SentDelivery[] = [
      ...(await read(submissionIds, () => sentDeliveries.where("submissionId", "in", submissionIds))),
      ...(await read(submissionIds, () => ofEvents.where("events.submissionId", "in", submissionIds))),
      ...(await read(ids, () => ofEvents.where("events.conversationId", "in", ids))),
      ...(await read(ids, () => sentDeliveries.where("deliveries.conversationId", "in", ids))),
    ];
    const earlier = [
      ...(await read(submissionIds, () => earlierHosts.where("submissionId", "in", submissionIds))),
      ...(await read(ids, () => earlierHosts.where("conversationId", "in", ids))),
    ];
    // The outbox stores a bot's posts under its channel.
    const channelIds = [...new Set(sent.filter(({ kind }) => kind === "team_chat").map(({ host }) => host))];
    const platforms = await read(channelIds, () =>
      db
        .selectFrom("teamChats")
        .select("platform")
        .where("organizationId", "=", organizationId)
        .where("channelId", "in", channelIds),
    );
    const mails = sent.filter(({ type }) => type === "email").map(({ target }) => JSON.parse(target) as MailTarget);
    const userIds = [...new Set(mails.flatMap(({ recipientIds, userId }) => recipientIds ?? userId ?? []))];
    const users = await read(userIds, () => db.selectFrom("users").select("email").where("id", "in", userIds));
    return [
      ...sent.filter(({ kind, type }) => type !== "email" && kind !== "team_chat").map(({ host }) => host),
      ...earlier.map(({ host }) => host),
      ...platforms.map(({ platform }) => platformHost(platform)),
      ...mails.flatMap(({ to }) => (Array.isArray(to) ? to : [])),
      ...users.map(({ email }) => email),
    ];
  };
}
