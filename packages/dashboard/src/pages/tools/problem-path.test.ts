import { expect, it } from "vitest";
import { describePath } from "./problem-path.ts";

it.each([
  ["formPostActions.0.recipientIds", "Action 1, recipients"],
  ["formPostActions.1.webhookUrl", "Action 2, address"],
  ["formSchema.fields.2.label", "The form: field 3, label"],
  ["displayConfig.fieldMappings.title", "The display: title"],
  ["name", "The name"],
])("an error at %s of a tool is described as %s", (path, text) => {
  expect(describePath(path)).toBe(text);
});
