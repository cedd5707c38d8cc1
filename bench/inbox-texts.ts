/** A number from 0 to 1, excluding 1. */
export type Random = () => number;

/** How many different words the conversations have besides the phrases. The n-th one is 1/n as frequent as the first. */
const VOCABULARY = 40_000;
/** One conversation in so many contains the rare word. */
const RARE_EVERY = 5_000;
/** One conversation in so many is in Japanese. */
const JAPANESE_EVERY = 100;

/** What the benchmark searches, by how many conversations contain it. */
export const searches = {
  rare: "zephyrine",
  common: "delivery",
  frequent: "refund",
  missing: "quixotry",
  phrase: "return label",
  "part of a word": "eliver",
  "two letters": "zq",
  Japanese: "配送",
};

const questions = [
  "Where is my order? The delivery was announced for yesterday.",
  "Can I change the delivery address of my order?",
  "I would like to return the shoes. Do I need a return label?",
  "Is the red bike available in another size?",
  "How long does a refund take after you have received the parcel?",
  "My discount code does not work in the checkout.",
  "Do you ship to Switzerland, and what does the delivery cost?",
  "The invoice has the wrong company name. Can you correct it?",
];
const answers = [
  "Thank you for your message. Your order left our warehouse and the delivery usually takes two to three working days.",
  "You can change the address in your account until the parcel is handed to the carrier.",
  "Please print the return label from your account and attach it to the parcel. The return is free of charge.",
  "We are sorry for the trouble. I have passed this to a colleague, who will answer as soon as possible.",
  "The delivery costs depend on the country and on the weight. You see them in the basket before you pay.",
  "Refunds are sent to the payment method of the order and arrive within five working days.",
];
const japanese = ["注文した商品の配送はいつですか。", "配送状況は注文履歴で確認できます。ご不便をおかけします。"];

/** The messages of a conversation: alternating ones of the visitor and of the agent. */
export function createConversationText(number: number, random: Random): string[] {
  if (number % JAPANESE_EVERY === 7) return japanese;
  const count = 2 + Math.floor(random() * 5);
  const texts = Array.from({ length: count }, (_, position) => {
    const isVisitor = position % 2 === 0;
    const phrases = isVisitor ? questions : answers;
    const phrase = phrases[Math.floor(random() * phrases.length)] ?? "";
    const words = Array.from({ length: isVisitor ? 6 : 45 }, () => wordAt(rankOf(random())));
    return `${phrase} ${words.join(" ")} #${number}-${position}`;
  });
  if (number % RARE_EVERY === 11) texts[0] = `${texts[0]} ${searches.rare}`;
  return texts;
}

/** A generator of pseudorandom numbers (mulberry32), so that every run has the same data. */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const rankOf = (random: number) => Math.floor(VOCABULARY ** random);

const syllables =
  "ba ren di to mu sa lek for ni ga ster pol vi ran co thi be lum ter ash ing ed wo na mi con pro al".split(" ");
const words: string[] = [];

/** A word of one to five syllables: the more frequent, the shorter. */
function wordAt(rank: number): string {
  words[rank] ??= toWord(rank + 1);
  return words[rank];
}

function toWord(rank: number): string {
  let word = "";
  for (let rest = rank; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}
