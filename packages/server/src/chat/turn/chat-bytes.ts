import type { ChangeListener } from "../../conversations/log/change.ts";
import type { AgentRow, MessageRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { addBytesToday, createDayCounter, dailyQuotaError, readBytesToday } from "../../plans/byte-quota.ts";
import { findNetwork } from "../../plans/rate-limit.ts";

type Messages = ReadonlyArray<Pick<MessageRow, "content" | "page">>;

export type ChatBytes = ReturnType<typeof createChatBytes>;

/**
 * Limits how many bytes of text visitors can store per day, with an agent and from an address. From one network, an
 * agent stores at most a quarter of its day, and never more than what is left for all others, because a single attacker
 * can have many addresses of an IPv6 network.
 */
export function createChatBytes({ db, config }: Pick<Deps, "db" | "config">) {
  const { chatBytesPerDay, chatBytesPerIp } = config.limits;
  const perAddress = createDayCounter();
  const perNetwork = createDayCounter();

  async function checkAgent({ organizationId, id }: AgentRow, bytes: number, network: string | null): Promise<void> {
    const free = chatBytesPerDay - (await readBytesToday(db, { organizationId, subject: id }));
    if (bytes > free) throw dailyQuotaError("This agent cannot store more messages today.");
    if (network === null) return;
    const sent = await perNetwork.read(network);
    if (sent + bytes <= Math.min(chatBytesPerDay / 4, free)) return;
    throw dailyQuotaError("Too much text was sent to this agent from your network today.");
  }

  return {
    /** @param ip null when limits by address do not apply @throws 429 */
    async check(agent: AgentRow, messages: Messages, ip: string | null): Promise<void> {
      const bytes = countBytes(messages);
      const network = ip === null ? null : `${agent.id} ${findNetwork(ip)}`;
      if (ip !== null && chatBytesPerIp > 0 && (await perAddress.read(ip)) + bytes > chatBytesPerIp) {
        throw dailyQuotaError("Too much text was sent from your address today.");
      }
      if (chatBytesPerDay > 0) await checkAgent(agent, bytes, network);
      // Nothing counts before all checks have passed, because nothing is stored otherwise.
      if (ip !== null) await perAddress.add(ip, bytes);
      if (network !== null) await perNetwork.add(network, bytes);
    },
    /** Counts the text of the messages that are stored. */
    listener: (async (trx, changes) => {
      for (const change of changes) {
        if (change.kind !== "turn" || chatBytesPerDay === 0) continue;
        const bytes = countBytes(change.turn.messages);
        const subject = { organizationId: change.organizationId, subject: change.agentId };
        if (bytes > 0) await addBytesToday(trx, subject, bytes);
      }
    }) satisfies ChangeListener,
  };
}

const countBytes = (messages: Messages) =>
  messages.reduce((sum, { content, page }) => sum + Buffer.byteLength(content) + Buffer.byteLength(page ?? ""), 0);
