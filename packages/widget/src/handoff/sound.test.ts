import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createSound } from "./sound.ts";

/** The notes that have been started, and how long the browser takes to allow sounds. */
let started: number[];
let resume: () => Promise<void>;

class FakeAudioContext {
  currentTime = 0;
  destination = {};
  resume = () => resume();
  createOscillator() {
    const note = { frequency: { value: 0 }, connect: (next: object) => next, stop: () => {}, start: () => {} };
    note.start = () => void started.push(note.frequency.value);
    return note;
  }
  createGain = () => ({
    gain: { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} },
    connect: (next: object) => next,
  });
}

beforeEach(() => {
  started = [];
  resume = async () => {};
  vi.stubGlobal("AudioContext", FakeAudioContext);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** The storage that all tabs of a visitor share. */
function createSharedStorage() {
  const entries = new Map<string, unknown>();
  return {
    read: (_: string, name: string) => entries.get(name) ?? null,
    write: (_: string, name: string, value: unknown) => void entries.set(name, value),
  } as never;
}

it("the sound of a message is off until the visitor switches it on, which plays it once", async () => {
  const sound = createSound(createSharedStorage());
  sound.playFor("msg_1");
  expect(started).toEqual([]);
  sound.turn(true);
  await vi.waitFor(() => expect(started).toHaveLength(2));
  sound.turn(false);
  sound.playFor("msg_2");
  expect([sound.isOn(), started.length]).toEqual([false, 2]);
});

it("the sound of a message plays in only one tab", async () => {
  const storage = createSharedStorage();
  const [one, other] = [createSound(storage), createSound(storage)];
  one.turn(true);
  await vi.waitFor(() => expect(started).toHaveLength(2));
  other.playFor("msg_1");
  one.playFor("msg_1");
  await vi.waitFor(() => expect(started).toHaveLength(4));
  one.playFor("msg_2");
  await vi.waitFor(() => expect(started).toHaveLength(6));
});

it("the sound of a message is skipped when the browser allows it too late", async () => {
  vi.useFakeTimers();
  const allowed = Promise.withResolvers<void>();
  resume = () => allowed.promise;
  const sound = createSound(createSharedStorage());
  sound.turn(true);
  vi.advanceTimersByTime(1_001);
  allowed.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual([]);
});
