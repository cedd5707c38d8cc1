import { expect, it } from "vitest";
import { isGreeting } from "./greetings.ts";

it.each([
  "Hi",
  "hello there!".slice(0, 5),
  "Hey, good morning!",
  "Danke!",
  "Bonjour",
  "¡Hola!".slice(1),
  "谢谢",
  "👋",
  "...",
])("isGreeting treats %j as a greeting", (message) => {
  expect(isGreeting(message)).toBe(true);
});

it.each(["Prices?", "Hi, when do you open?", "no parking?", "Öffnungszeiten", "営業時間は?", "OK, and on Sunday?"])(
  "isGreeting treats %j as a question",
  (message) => {
    expect(isGreeting(message)).toBe(false);
  },
);
