import { startKilledProvider } from "../../test/killed-provider.ts";
import { ms, type Row } from "../figure.ts";
import { authorized, type Foyer, startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { median, quantile } from "../rounds.ts";

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
      const slowest = Math.max(...results.map(({ changeoverMs }) => changeoverMs ?? 0));
      const changeover = {
        figure: "The same: from the first failure to the first word, longest",
        measured: ms(slowest),
        baseline: "-",
        ratio: "-",
        target: "<= 1500 ms",
        isMet: slowest <= 1_500,
      };
      return [counted, changeover];
    }
    // Compare with an agent that has the second model alone.
    const direct = await provider.askAll(
      foyer.url,
      await createAgent(foyer, { model: "openai-compatible/other" }),
      load,
    );
    const open = results.filter(({ requests }) => requests.first === 0).map(({ firstWordMs }) => firstWordMs);
    const alone = direct.map(({ firstWordMs }) => firstWordMs);
    const added = quantile(open, 0.99) - quantile(alone, 0.99);
    return [
      counted,
      {
        figure: `The same: to the first word with an open circuit, p99 of ${open.length}`,
        measured: `${ms(quantile(open, 0.99))} (median ${ms(median(open))})`,
        baseline: `${ms(quantile(alone, 0.99))} (without a first model; median ${ms(median(alone))})`,
        ratio: `${added.toFixed(1)} ms more`,
        target: "<= 20 ms more",
        isMet: added <= 20,
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
