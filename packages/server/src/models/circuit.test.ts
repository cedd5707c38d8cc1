import { describe, expect, it } from "vitest";
import { createCircuits, type Permission } from "./circuit.ts";

const key = "org_1/openai/gpt";

/** Circuits with a window of 60 s and a clock that the test moves. */
function start(window = 60_000) {
  let time = 0;
  const circuits = createCircuits(window, () => time);
  return {
    ...circuits,
    pass(milliseconds: number) {
      time += milliseconds;
    },
    failOnce(permission: Permission = "ask", isLasting = false) {
      circuits.fail(key, permission, { error: new Error("down"), isLasting });
    },
  };
}

/** Circuits that three failures have opened. */
function startOpen() {
  const circuits = start();
  for (let failures = 0; failures < 3; failures++) circuits.failOnce();
  return circuits;
}

describe("a model's circuit", () => {
  it("stays closed after two failures", () => {
    const circuits = start();
    circuits.failOnce();
    circuits.failOnce();
    expect(circuits.enter(key)).toBe("ask");
  });
  it("opens after three failures within the window", () => {
    expect(startOpen().enter(key)).toBe("wait");
  });
  it("stays closed when the first of three failures is older than the window", () => {
    const circuits = start();
    circuits.failOnce();
    circuits.pass(60_000);
    circuits.failOnce();
    circuits.failOnce();
    expect(circuits.enter(key)).toBe("ask");
  });
  it("opens after one failure that lasts", () => {
    const circuits = start();
    circuits.failOnce("ask", true);
    expect(circuits.enter(key)).toBe("wait");
  });
  it("of another organization stays closed", () => {
    expect(startOpen().enter("org_2/openai/gpt")).toBe("ask");
  });
  it("is open until the window has passed", () => {
    const circuits = startOpen();
    circuits.pass(59_999);
    expect(circuits.enter(key)).toBe("wait");
  });
  it("lets one reply at a time probe the model", () => {
    const circuits = startOpen();
    circuits.pass(60_000);
    expect([circuits.enter(key), circuits.enter(key)]).toEqual(["probe", "wait"]);
  });
  it("closes after a probe that succeeds", () => {
    const circuits = startOpen();
    circuits.pass(60_000);
    circuits.succeed(key, circuits.enter(key));
    expect(circuits.enter(key)).toBe("ask");
  });
  it("opens again after a probe that fails", () => {
    const circuits = startOpen();
    circuits.pass(60_000);
    circuits.failOnce(circuits.enter(key));
    expect(circuits.enter(key)).toBe("wait");
  });
  it("lets the next reply probe after one that ended without a result", () => {
    const circuits = startOpen();
    circuits.pass(60_000);
    circuits.leave(key, circuits.enter(key));
    expect(circuits.enter(key)).toBe("probe");
  });
  it("never opens with a window of 0", () => {
    const circuits = start(0);
    for (let failures = 0; failures < 10; failures++) circuits.failOnce("ask", true);
    expect(circuits.enter(key)).toBe("ask");
  });
});
