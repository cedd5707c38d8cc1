import { signUserToken } from "../../packages/server/src/agents/identity/user-token.ts";
import { type IdentityProof, verifyVisitor } from "../../packages/server/src/agents/identity/verified-visitor.ts";
import { createEncryption } from "../../packages/server/src/encryption.ts";
import { ms, type Row } from "../figure.ts";
import { alternate, median, quantile } from "../rounds.ts";

const TURNS = 2_000;
const LIMIT_MS = 0.2;
const agentId = "agent_01jd3v5m8k2q7x4n9r6t1w0ybc";
const secret = "fis_a-secret-of-the-agent-that-is-long-enough";
/** As large as the tokens of sites that pass a few facts about their user: about 400 characters. */
const visitor = {
  id: "customer-1042",
  email: "ada@example.com",
  name: "Ada Lindqvist",
  claims: { plan: "pro", stores: ["bremen", "hamburg"], crm: { id: 90_210, since: "2019-04-01" } },
};

/**
 * The additional cost of a verified visitor's turn compared with an anonymous one: decrypting the secret and verifying
 * the token. The mean of the durations would mostly show how often other programs interrupted this one, so the target
 * is for the median, and for the CPU time of all threads.
 */
export async function measureVerifiedTurn(): Promise<Row[]> {
  const encryption = createEncryption("a-root-secret-for-the-measurement");
  const agent = { id: agentId, identitySecret: encryption.encrypt(secret, agentId) };
  const userToken = await signUserToken(visitor, { agentId, secret });
  const turns = async (proof: IdentityProof) => {
    const durations: number[] = [];
    const usedBefore = process.cpuUsage();
    for (let turn = 0; turn < TURNS; turn++) {
      const startedAt = performance.now();
      await verifyVisitor(proof, agent, encryption);
      durations.push(performance.now() - startedAt);
    }
    const { user, system } = process.cpuUsage(usedBefore);
    return { median: median(durations), p99: quantile(durations, 0.99), cpu: (user + system) / 1_000 / TURNS };
  };
  const results = await alternate({ subject: () => turns({ userToken }), baseline: () => turns({}) });
  const of = (side: keyof typeof results, name: "median" | "p99" | "cpu") =>
    median(results[side].map((round) => round[name]));
  const added = of("subject", "median") - of("baseline", "median");
  const addedCpu = of("subject", "cpu") - of("baseline", "cpu");
  return [
    {
      figure: "Added to a turn by verifying a user token (median)",
      measured: `${ms(added)}, p99 ${ms(of("subject", "p99"))}, CPU ${ms(addedCpu)}`,
      baseline: `${ms(of("baseline", "median"))} (anonymous)`,
      ratio: "-",
      target: `<= ${ms(LIMIT_MS)}`,
      isMet: Math.max(added, addedCpu) <= LIMIT_MS,
    },
  ];
}
