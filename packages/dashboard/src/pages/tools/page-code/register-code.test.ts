import { expect, it } from "vitest";
import { emptyDraft } from "../tool-draft.ts";
import { registerCode } from "./register-code.ts";

it("writes code that registers the tool and unpacks only inputs that are identifiers", () => {
  const { inputSchema } = emptyDraft("client");
  const input = { ...inputSchema.inputs[0], name: "size" } as (typeof inputSchema.inputs)[number];
  const draft = { name: "add_to_cart", inputSchema: { ...inputSchema, inputs: [input, { ...input, name: "a-b" }] } };
  expect(registerCode(draft)).toContain('Foyer.push(["registerTool", "add_to_cart", async ({ size }) => {');
  expect(registerCode({ ...draft, name: "", inputSchema })).toContain('"tool_name", async (input) => {');
});
