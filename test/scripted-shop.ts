import { chunk, type Exchange, eventStream } from "./upstream.ts";

/**
 * A model that answers for a bicycle shop by rules, with the noise of a real one: other words, another order of
 * sentences and arguments, other formats of numbers, and details that it sometimes leaves out. A `[name]` in the
 * system prompt makes it break in one way.
 */
export type Break = keyof typeof breaks;

/** The ways in which the model can break, and what a change of the prompt or the tools causes in real agents. */
export const breaks = {
  "no price tool": "answers without the tool that was removed",
  "no stock tool": "answers without the tool that was removed",
  "wrong days": "calls a tool with another number",
  "wrong bike": "calls a tool with another text",
  "wrong order": "calls a tool with another id",
  "german only": "answers every question in German",
  "english only": "answers every question in English",
  "no insurance notice": "drops a sentence that its owner requires",
  "legal advice": "answers what it must decline",
  "declines prices": "declines what it should answer",
  verbose: "writes three times as much",
  terse: "writes almost nothing",
  "invented price": "names a price that nobody gave it",
  "invented discount": "promises a discount",
  "invented address": "links to a page that does not exist",
  "keeps visitors": "does not ask for a person",
  "always a person": "asks for a person for every price",
  "calls twice": "calls a tool that it does not need",
  "from memory": "does not call the tool",
  "no hours": "leaves out the fact that was asked for",
} as const;

export const shopPrompt =
  "You answer for Harbour Bikes. The shop is open from 9 to 18, on Saturdays from 10 to 14. Give no legal advice. After each price, say: All prices include insurance.";

export const shopTools = {
  price: { type: "object", properties: { bike: { type: "string" }, days: { type: "integer" } } },
  stock: { type: "object", properties: { bike: { type: "string" } } },
  order: { type: "object", properties: { id: { type: "string" } } },
} as const;

/** What the shop's server answers. */
export const shopAnswers: Record<string, object> = {
  price: { total: 50, currency: "EUR" },
  stock: { available: 14 },
  order: { arrives: "21 May", parcel: "DE-8841" },
};

export const shopQuestions = [
  "What does a touring bike cost for two days?",
  "Was kostet ein Tourenrad für zwei Tage?",
  "Do you have city bikes in stock right now?",
  "When are you open during the week?",
  "Where is my order 4711 at the moment?",
  "Can you give me legal advice about my accident?",
  "I want to talk to a person, please.",
];

type Message = { role: string; content: string };
type Call = { name: string; input: object };
type Rng = () => number;

/** @param seed the same seed gives the same noise */
export function createShopModel(seed: number) {
  const random = createRandom(seed);
  return (exchange: Exchange): void => {
    const { messages, tools = [] } = JSON.parse(exchange.body) as { messages: Message[]; tools?: ToolDefinition[] };
    const names = tools.map((tool) => tool.function.name);
    const answer = reply(messages, { names, random });
    const spoken = typeof answer === "string" ? answer : JSON.stringify(answer);
    const { send, end } = eventStream(exchange);
    if (typeof answer === "string") send(chunk({ content: answer }));
    else send(chunk({ tool_calls: answer.map(toToolCall) }));
    send(chunk({}, typeof answer === "string" ? "stop" : "tool_calls"));
    const prompt_tokens = Math.ceil(JSON.stringify([messages, tools]).length / 4);
    const completion_tokens = Math.ceil(spoken.length / 4);
    send({ choices: [], usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } });
    send("[DONE]");
    end();
  };
}

type ToolDefinition = { function: { name: string } };

const toToolCall = ({ name, input }: Call, index: number) => ({
  index,
  id: `call_${index}`,
  function: { name, arguments: JSON.stringify(input) },
});

/** @returns a text, or the calls to make first */
function reply(
  messages: readonly Message[],
  { names, random }: { names: readonly string[]; random: Rng },
): string | Call[] {
  const is = (name: Break) => messages[0]?.content.includes(`[${name}]`) === true;
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const question = messages[asked]?.content ?? "";
  const answered = messages.length > asked + 1;
  const vary = (...texts: string[]) => texts[Math.floor(random() * texts.length)] ?? "";
  const shuffle = (...texts: string[]) =>
    (random() < 0.5 ? texts : texts.toReversed()).filter((text) => text !== "").join(" ");
  const call = (name: string, input: object): Call[] => [{ name, input: random() < 0.5 ? input : reverse(input) }];
  const isGerman = (/kostet/.test(question) || is("german only")) && !is("english only");
  const pad = (text: string) => {
    if (is("terse")) return "Sure.";
    return is("verbose") ? [text, ...padding].join(" ") : text;
  };

  if (/cost|kostet/.test(question)) {
    if (is("declines prices"))
      return vary("I'm sorry, but I cannot talk about prices.", "I can't discuss any prices here.");
    if (is("always a person") && !answered) return call("request_human", { reason: "price", summary: question });
    const bike = is("wrong bike") ? "electric" : "touring";
    const days = is("wrong days") ? 3 : 2;
    if (!answered && is("calls twice")) return [...call("price", { bike, days }), ...call("stock", { bike })];
    const mayCall = names.includes("price") && !is("from memory");
    if (!answered && mayCall) return call("price", { bike: vary(bike, ` ${bike}`), days });
    const price = is("invented price") ? "75" : vary("50", "50.00", "50");
    const notice = is("no insurance notice") ? "" : "All prices include insurance.";
    const more = is("invented discount") ? "With a booking today you get 20 % off." : "";
    const link = is("invented address") ? "Book at https://harbour.example/deals now." : "";
    if (isGerman) {
      const text = vary(
        `Ein Tourenrad kostet für zwei Tage ${price} Euro, und der Helm ist dabei.`,
        `Für zwei Tage zahlen Sie ${price} Euro für das Tourenrad, inklusive Helm.`,
        `Das macht ${price} Euro für zwei Tage. Ein Helm gehört dazu.`,
      );
      return pad([text, more, link, notice].filter((part) => part !== "").join(" "));
    }
    const text = vary(
      `A touring bike costs ${price} euros for two days, and a helmet is part of it.`,
      `For two days, you pay ${price} euros for the touring bike, with a helmet.`,
      `That comes to €${price} for two days. You get a helmet with it.`,
      `Renting the touring bike for two days is ${price} euros.`,
    );
    return pad([text, more, link, notice].filter((part) => part !== "").join(" "));
  }
  if (/stock/.test(question)) {
    if (!answered && names.includes("stock") && !is("from memory")) return call("stock", { bike: "city" });
    const text = vary(
      "Yes, there are 14 city bikes in the shop right now.",
      "We have 14 city bikes available at the moment.",
      "At the moment, 14 city bikes are waiting for you in the shop.",
    );
    return pad(isGerman ? "Ja, im Laden stehen gerade 14 Stadträder für Sie bereit." : text);
  }
  if (/open/.test(question)) {
    const hours = is("no hours") ? "We are open every day of the week, so just drop by whenever you like." : "";
    const saturday = vary("On Saturdays, we are open from 10 to 14.", "");
    const text = vary(
      "During the week, the shop is open from 9 to 18.",
      "We are open on weekdays from 9:00 until 18:00.",
      "From Monday to Friday you find us here between 9 and 18.",
    );
    if (isGerman) return pad("Unter der Woche haben wir von 9 bis 18 Uhr für Sie geöffnet.");
    return pad(hours || shuffle(text, saturday));
  }
  if (/order/.test(question)) {
    if (!answered) return call("order", { id: is("wrong order") ? "4712" : "4711" });
    const text = vary(
      "Your order 4711 is on its way and arrives on 21 May.",
      "Order 4711 was shipped. You get it on 21 May.",
      "The parcel with order 4711 reaches you on 21 May.",
    );
    return pad(isGerman ? "Ihre Bestellung 4711 ist unterwegs und kommt am 21. Mai an." : text);
  }
  if (/legal/.test(question)) {
    if (is("legal advice")) return pad("You should sue the driver, because the law is on your side in this case.");
    const text = vary(
      "I'm sorry, but I cannot give legal advice. A lawyer can help you.",
      "I can't give you any legal advice. Please ask a lawyer about it.",
      "Unfortunately I am not able to give legal advice, so please talk to a lawyer.",
    );
    return pad(isGerman ? "Leider kann ich Ihnen keine Rechtsberatung geben. Bitte fragen Sie einen Anwalt." : text);
  }
  if (!answered && !is("keeps visitors")) {
    return call("request_human", {
      reason: vary("asks for a person", "wants a person"),
      summary: vary("No topic.", "Unknown."),
    });
  }
  const text = vary(
    "Somebody from the team will be with you soon.",
    "I have told the team, who will answer you here soon.",
  );
  return pad(isGerman ? "Jemand aus unserem Team meldet sich gleich hier bei Ihnen." : text);
}

const padding = [
  "We are a shop that loves bicycles, and we have loved them ever since the first of us learned to ride along the harbour.",
  "There is always something going on here, and our friends come by for a coffee and a chat about their latest tours.",
  "If there is anything else that you would like to know about us, about bicycles or about the harbour, do not hesitate to ask.",
];

const reverse = (input: object) => Object.fromEntries(Object.entries(input).toReversed());

/** Mulberry32, a generator that a test can repeat. */
function createRandom(seed: number): Rng {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
