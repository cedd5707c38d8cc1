import { describe, expect, it } from "vitest";
import { type AgentState, compareStates } from "./agent-state.ts";

type Parts = { agent?: object; tools?: object[] | undefined; triggers?: object[] | undefined };

/** A state of which only the compared settings are given. */
const toState = ({ agent = {}, tools, triggers }: Parts) => ({ agent, tools, triggers }) as AgentState;
const paths = (seen: Parts, now: Parts) => compareStates(toState(seen), toState(now)).map(({ path }) => path);

describe("what others have changed since a page was loaded", () => {
  it("names settings of the agent, its tools and its triggers", () => {
    expect(
      paths(
        { agent: { temperature: 70 }, tools: [{ name: "stock", label: "a" }], triggers: [{ name: "Help" }] },
        { agent: { temperature: 30 }, tools: [{ name: "stock", label: "b" }], triggers: [] },
      ),
    ).toEqual(["agent.temperature", "tools.stock.label", "triggers.Help"]);
  });

  it("leaves out what the server sets with each change", () => {
    const before = { draftHash: "a", updatedAt: "1", liveVersion: 1, rollout: null };
    const after = { draftHash: "b", updatedAt: "2", liveVersion: 2, rollout: { version: 1, percent: 10 } };
    expect(paths({ agent: before }, { agent: after })).toEqual([]);
  });

  it("does not take a list that was not loaded for an empty one", () => {
    expect(paths({ tools: undefined }, { tools: [{ name: "stock" }] })).toEqual([]);
  });
});
