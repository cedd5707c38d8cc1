import { readFileSync } from "node:fs";
import { Value } from "typebox/value";
import { describe, expect, it } from "vitest";
import { webhookEventTypes } from "../rules/webhook-events.ts";
import { webhookEventSchemas } from "./events.ts";
import { sampleEvent } from "./sample-events.ts";

const guide = readFileSync(new URL("../../../../docs/guides/events.md", import.meta.url), "utf8");

describe.each(webhookEventTypes)("the sample of a %s event", (type) => {
  const sample = (payload: "full" | "ids") =>
    sampleEvent(type, {
      id: "evt_01jd3v7b9hf0mtb8s6wxq2zy4c",
      organizationId: "org_01jd3v6a9hf0mtb8s6wxq2zy4c",
      agentId: "agent_01jd3v6b9hf0mtb8s6wxq2zy4c",
      createdAt: "2026-01-31T09:30:02.000Z",
      payload,
    });

  it.each(["full", "ids"] as const)("has the schema of the contract with the payload %s", (payload) => {
    expect([...Value.Errors(webhookEventSchemas[type], sample(payload))]).toEqual([]);
  });

  it("is the one that the guide shows", () => {
    const section = guide.split(`### ${type}\n`)[1]?.split("\n### ")[0] ?? "";
    const [, json = "null"] = section.match(/```json\n([\s\S]*?)\n```/) ?? [];
    expect(JSON.parse(json)).toEqual(sample("full"));
  });
});
