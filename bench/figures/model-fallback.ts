import { startKilledProvider } from "../../test/killed-provider.ts";
import { ms, type Row } from "../figure.ts";
import { authorized, type Foyer, startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { alternate, median, quantile } from "../rounds.ts";

const REPLIES = 1_000;
const load = { replies: REPLIES, atOnce: 10 };
const models = { model: "mistral/small", fallbackModels: ["openai-compatible/other"] };

/**
 * Replies whose first provider is killed at a random moment before its first word: none is lost or doubled, and how much
 * longer the visitor waits, while the provider is asked every time and while its circuit is open.
 */
export async function measureModelFallback(): Promise<Row[]> {
  return [...(await measure("0s")), ...(await measure("1h"))];
}

async function measure(circuit: string): Promise<Row[]> {
  const provider = await startKilledProvider();
  using folder = temporaryFolder();
  try {
    await using foyer = await startFoyer({
      dataDir: folder.path,
      upstreamUrl: `${provider.url}/second`,
      env: { MISTRAL_API_KEY: "m-1", MISTRAL_BASE_URL: `${provider.url}/first`, FOYER_MODEL_CIRCUIT: circuit },
    });
    const agentId = await createAgent(foyer, models);
    const results = await provider.askAll(foyer.url, agentId, load);
    const answered = results.filter(({ text, stopReason, requests }) => {
      return text === provider.answer && stopReason === "end_turn" && requests.second === 1;
    });
    const counted = {
      figure: `Replies of ${REPLIES} lost or doubled, circuit ${circuit}`,
      measured: String(REPLIES - answered.length),
      baseline: "-",
      ratio: "-",
      target: "0",
      isMet: answered.length === REPLIES,
    };
    if (circuit === "0s") {
      const changeovers = results.map(({ changeoverMs }) => changeoverMs ?? 0);
      const slowest = Math.max(...changeovers);
      const changeover = {
        figure: "The same: from the first failure to the first word, longest",
        measured: `${ms(slowest)} (median ${ms(median(changeovers))}, p99 ${ms(quantile(changeovers, 0.99))})`,
        baseline: "-",
        ratio: "-",
        target: "<= 1500 ms",
        isMet: slowest <= 1_500,
      };
      return [counted, changeover];
    }
    // Compare with an agent that has the second model alone.
    const alone = await createAgent(foyer, { model: "openai-compatible/other" });
    const medianFirstWord = async (agent: string) => {
      const replies = await provider.askAll(foyer.url, agent, { replies: 200, atOnce: 4 });
      return median(replies.map(({ firstWordMs }) => firstWordMs));
    };
    const sides = await alternate({ subject: () => medianFirstWord(agentId), baseline: () => medianFirstWord(alone) });
    const [open, direct] = [median(sides.subject), median(sides.baseline)];
    return [
      counted,
      {
        figure: "The same: to the first word with an open circuit",
        measured: ms(open),
        baseline: `${ms(direct)} (the second model alone)`,
        ratio: `${(open - direct).toFixed(1)} ms more`,
        target: "<= 20 ms more",
        isMet: open - direct <= 20,
      },
    ];
  } finally {
    await provider.stop();
  }
}

async function createAgent(foyer: Foyer, settings: object): Promise<string> {
  const response = await fetch(`${foyer.url}/agents`, {
    method: "POST",
    headers: { ...authorized, "content-type": "application/json" },
    body: JSON.stringify({ name: "Bench", systemPrompt: "You are a helpful assistant.", ...settings }),
  });
  if (response.status !== 201) throw new Error(`The agent was not created: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}
