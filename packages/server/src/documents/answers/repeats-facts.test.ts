import { expect, it } from "vitest";
import { repeatsFacts } from "./repeats-facts.ts";

const passages = `On Sunday we are open from 11 to 15. A city bike costs 5 euros an hour and 20 euros a day.
Am Dienstag reparieren wir Fahrräder; eine Durchsicht kostet 59 Euro. 自転車の修理は火曜日です。`;

it.each([
  ["When are you open on Sunday?", "From 11 to 15."],
  ["How much is a city bike?", "A city bike costs 5 euros per hour, or 20 euros for a whole day."],
  ["Wann wird repariert?", "Wir reparieren Fahrräder dienstags, und eine Durchsicht kostet 59 Euro."],
  ["修理はいつですか", "自転車の修理は火曜日です。"],
])("repeatsFacts recognizes an answer without citations to: %s", (question, reply) => {
  expect(repeatsFacts({ reply, question, passages })).toBe(true);
});

it.each([
  ["Do you sell surfboards on Sunday?", "I don't know."],
  ["Do you sell surfboards?", "I'm sorry, the documents don't mention surfboards. Please contact our team about that."],
  ["Can I rent a kayak on Sunday?", "Unfortunately, I could not find any information about renting a kayak on Sunday."],
  ["Verkauft ihr Surfbretter?", "Dazu habe ich leider keine Informationen gefunden."],
  ["カヤックはありますか", "申し訳ありませんが、その情報は見つかりませんでした。"],
  ["Продаёте ли вы каяки?", "К сожалению, я не нашёл информации об этом."],
  ["Do you sell surfboards?", ""],
])("repeatsFacts recognizes a reply that does not answer: %s", (question, reply) => {
  expect(repeatsFacts({ reply, question, passages })).toBe(false);
});
