import { expect, it } from "vitest";
import { createEmptyDraft } from "../tool-draft.ts";
import { registerCode } from "./register-code.ts";

it("the sample code registers the tool and unpacks only inputs whose names can be variables", () => {
  const { inputSchema } = createEmptyDraft("client");
  const input = inputSchema.inputs[0] as (typeof inputSchema.inputs)[number];
  const inputs = ["size", "a-b", "class"].map((name) => ({ ...input, name }));
  const draft = { name: "add_to_cart", inputSchema: { ...inputSchema, inputs } };
  expect(registerCode(draft)).toContain('Foyer.push(["registerTool", "add_to_cart", async ({ size }) => {');
  expect(registerCode({ ...draft, name: "", inputSchema })).toContain('"tool_name", async (input) => {');
});
