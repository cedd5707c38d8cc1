import { expect, it } from "vitest";
import { createPresence } from "./presence.ts";

const MINUTE_MS = 60_000;

type Presence = ReturnType<typeof createPresence>;
type Step = [minutes: number, act: (presence: Presence) => unknown];

const open = (isActive?: boolean) => (presence: Presence) => presence.open("org", "ada", isActive);
const close = (presence: Presence) => presence.close("org", "ada");

it.each<[string, boolean, Step[], number]>([
  ["who has just opened the inbox", true, [[0, open()]], 1],
  ["who opened it six minutes ago and did nothing", false, [[0, open()]], 6],
  [
    "who used it a minute ago",
    true,
    [
      [0, open()],
      [5, (one) => one.use("org", "ada")],
    ],
    6,
  ],
  ["whose tab in the background opens it", false, [[0, open(false)]], 0],
  [
    "whose client only connects again",
    false,
    [
      [0, open()],
      [4, close],
      [4, open()],
    ],
    6,
  ],
  [
    "whose client connects again and says that the page is used",
    true,
    [
      [0, open()],
      [4, close],
      [4, open(true)],
    ],
    6,
  ],
  [
    "who closed it two minutes ago",
    false,
    [
      [0, open()],
      [1, close],
    ],
    3,
  ],
  [
    "who returns after they closed it",
    true,
    [
      [0, open()],
      [1, close],
      [6, open()],
    ],
    7,
  ],
  ["who answered a minute ago without an inbox", true, [[0, (one) => one.answered("org", "ada")]], 1],
])("a member %s is present: %s", async (_who, isPresent, steps, minutes) => {
  let now = 1_000_000;
  const presence = createPresence(null, () => now);
  for (const [at, act] of steps) {
    now = 1_000_000 + at * MINUTE_MS;
    await act(presence);
  }
  now = 1_000_000 + minutes * MINUTE_MS;
  presence.forgetAbsent();
  expect(presence.isPresent("org", "ada")).toBe(isPresent);
});
