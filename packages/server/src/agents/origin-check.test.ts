import { expect, it } from "vitest";
import { createOriginCheck } from "./origin-check.ts";

const shop = { id: "agent_1", allowedOrigins: '["https://shop.example"]' };
const own = "https://chat.example";

function start() {
  const state = { now: 1_000_000 };
  const check = createOriginCheck(() => state.now);
  const come = (origin: string | undefined, agent = shop) => {
    try {
      check.checkOrigin(agent, origin, own);
      return true;
    } catch {
      return false;
    }
  };
  return { ...check, state, come };
}

it("the record of refused origins lists the latest first, per agent", () => {
  const { come, refusedOrigins, state } = start();
  for (const origin of [undefined, own, "https://shop.example"]) expect(come(origin)).toBe(true);
  expect(come("https://a.example", { id: "agent_2", allowedOrigins: "[]" })).toBe(true);
  expect(refusedOrigins(shop.id)).toEqual([]);
  expect([come("https://a.example"), come("https://b.example")]).toEqual([false, false]);
  state.now += 1;
  expect(come("https://a.example")).toBe(false);
  expect(refusedOrigins(shop.id)).toEqual([
    { origin: "https://a.example", times: 2, at: 1_000_001 },
    { origin: "https://b.example", times: 1, at: 1_000_000 },
  ]);
  expect(refusedOrigins("agent_2")).toEqual([]);
});

it("the record of refused origins forgets an origin after a day", () => {
  const { come, refusedOrigins, state } = start();
  come("https://a.example");
  state.now += 86_400_000;
  expect(refusedOrigins(shop.id)).toEqual([]);
  come("https://a.example");
  expect(refusedOrigins(shop.id)).toMatchObject([{ times: 1 }]);
});

it("the record of refused origins is limited in size", () => {
  const { come, refusedOrigins } = start();
  for (let n = 0; n < 1_000; n++) come(`https://${n}.example/${"x".repeat(5_000)}`);
  expect(refusedOrigins(shop.id)).toHaveLength(20);
  expect(refusedOrigins(shop.id).every(({ origin }) => origin.length <= 200)).toBe(true);
  for (let n = 0; n < 1_000; n++) come("https://a.example", { ...shop, id: `other_${n}` });
  expect(refusedOrigins(shop.id)).toEqual([]);
});
