import type { Tool } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { describe, expect, it } from "vitest";
import { readSchemaText, toSchema, toSchemaDraft } from "./input-schema-draft.ts";
import { rowKey, withKey } from "./row-key.ts";
import { createEmptyDraft, pickChanges, toBody, toDraft } from "./tool-draft.ts";
import { toFieldName, toToolName, uniqueName } from "./tool-name.ts";

const form = {
  name: "test_ride",
  description: "Shows the form",
  executionType: "form",
  inputSchema: {
    type: "object",
    properties: { bike: { type: "string", minLength: 2 } },
    required: ["bike"],
    additionalProperties: false,
  },
  isEnabled: true,
  formSchema: { fields: [{ name: "email", label: "E-mail", type: "email", disabled: true }], submitLabel: "Book" },
  formExecutionMode: "both",
  formWebhookUrl: "https://example.com/hook",
  formClientHandler: "book",
  formPostActions: [
    { type: "webhook", webhookUrl: "https://example.com/b", payload: { a: ["{{email}}"] }, headers: { "X-A": "1" } },
    { type: "slack", webhookUrl: "https://example.com/c", message: "New" },
    { type: "email", recipientIds: ["user_1"], to: ["desk@example.com"], subject: "Lead" },
  ],
  formConfirmation: { emailField: "email", subject: "We got it", message: "Thanks, {{email}}" },
} as unknown as Tool;

function catchProblems(body: () => unknown) {
  try {
    body();
  } catch (error) {
    return error instanceof FoyerError ? error.details : error;
  }
  return [];
}

describe("a tool's draft", () => {
  it("becomes a request body in the contract's primary spelling", () => {
    expect(JSON.parse(JSON.stringify(toBody("form", toDraft(form))))).toEqual({
      name: "test_ride",
      description: "Shows the form",
      label: null,
      isEnabled: true,
      resultFor: "both",
      requires: null,
      inputSchema: form.inputSchema,
      formSchema: form.formSchema,
      formExecutionMode: "both",
      formWebhookUrl: "https://example.com/hook",
      formClientHandler: "book",
      formPostActions: [
        { type: "webhook", url: "https://example.com/b", payload: { a: ["{{email}}"] }, headers: { "X-A": "1" } },
        { type: "team_chat", webhookUrl: "https://example.com/c", messageTemplate: "New" },
        { type: "email", recipientIds: ["user_1"], to: ["desk@example.com"], subject: "Lead" },
      ],
      formConfirmation: form.formConfirmation,
    });
  });

  it("keeps the outside addresses of an email action when another part of the action changes", () => {
    const saved = toDraft(form);
    const formPostActions = saved.formPostActions.map((action) => ({ ...action, subject: "Changed" }));
    const { formPostActions: sent } = pickChanges("form", { ...saved, formPostActions }, { formPostActions });
    expect(sent?.[2]).toEqual({
      type: "email",
      recipientIds: ["user_1"],
      to: ["desk@example.com"],
      subject: "Changed",
    });
  });

  it("emails the submissions of a new form to the given member, if there is one", () => {
    expect(toBody("form", createEmptyDraft("form", "user_1"))).toMatchObject({
      formPostActions: [{ type: "email", recipientIds: ["user_1"] }],
      formWebhookUrl: null,
    });
    expect(toBody("form", createEmptyDraft("form"))).toMatchObject({ formPostActions: null });
  });

  it("sends only changed fields", () => {
    const saved = toDraft(form);
    expect(pickChanges("form", saved, {})).toEqual({});
    const formWebhookUrl = " ";
    expect(pickChanges("form", { ...saved, formWebhookUrl }, { formWebhookUrl })).toEqual({ formWebhookUrl: null });
    const [field] = saved.formSchema.fields;
    // Keys are not serialized, so a different key is not a change.
    expect(JSON.stringify(withKey({ ...field }))).toBe(JSON.stringify(field));
  });

  it("describes the mapped fields of a display", () => {
    const draft = createEmptyDraft("mock");
    expect(toBody("mock", draft)).toMatchObject({ displayConfig: null, mockResponse: "" });
    const rows = [
      { slot: "title", path: " name " },
      { slot: "", path: "x" },
      { slot: "url", path: "" },
    ];
    const displayConfig = {
      type: "product_card" as const,
      fieldMappings: rows.map((row) => withKey(row)),
      options: {},
    };
    expect(toBody("mock", { ...draft, displayConfig })).toMatchObject({
      displayConfig: { type: "product_card", fieldMappings: { title: "name" } },
    });
  });

  it("reports values that a request cannot express at their paths", () => {
    const draft = createEmptyDraft("http");
    const header = (name: string, value = "1") => withKey({ name, value });
    const httpHeaders = [header("X-A"), header("x-a"), header(""), header("", "")];
    expect(catchProblems(() => toBody("http", { ...draft, httpHeaders }))).toEqual([
      { path: "httpHeaders.x-a", message: "is listed twice" },
      { path: "httpHeaders.", message: "needs a name" },
    ]);
    const input = (name: string) => withKey({ name, isRequired: false, schema: { type: "string" } });
    const inputSchema = { inputs: [input("a"), input("a"), input("")], rest: {}, text: null };
    expect(catchProblems(() => toBody("http", { ...draft, inputSchema }))).toEqual([
      { path: "inputSchema.properties.a", message: "is the name of two inputs" },
      { path: "inputSchema.properties.", message: "needs a name" },
    ]);
    expect(catchProblems(() => toBody("http", { ...draft, inputSchema: { ...inputSchema, text: "{" } }))).toEqual([
      { path: "inputSchema", message: expect.stringMatching(/^Line 1: /) },
    ]);
  });

  it("is refused with a URL placeholder that no input fills in, and with a table without columns", () => {
    const draft = createEmptyDraft("http");
    const httpUrl = "https://example.com/stock/{bike}";
    expect(catchProblems(() => toBody("http", { ...draft, httpUrl }))).toEqual([
      { path: "httpUrl", message: expect.stringContaining("has {bike}, but the tool has no input of that name") },
    ]);
    const bike = withKey({ name: "bike", isRequired: true, schema: { type: "string" } });
    const inputSchema = { inputs: [bike], rest: {}, text: null };
    expect(catchProblems(() => toBody("http", { ...draft, httpUrl, inputSchema }))).toEqual([]);
    const anyInput = { inputs: [], rest: { additionalProperties: true }, text: null };
    expect(catchProblems(() => toBody("http", { ...draft, httpUrl, inputSchema: anyInput }))).toEqual([]);
    const table = (slot: string) => ({
      type: "table" as const,
      fieldMappings: [withKey({ slot, path: "bikes" })],
      options: {},
    });
    const shown = { ...draft, resultFor: "both" as const };
    expect(catchProblems(() => toBody("mock", { ...shown, displayConfig: table("rows") }))).toEqual([
      { path: "displayConfig.fieldMappings", message: "must have at least one column" },
    ]);
    expect(catchProblems(() => toBody("mock", { ...shown, displayConfig: table("Name") }))).toEqual([]);
    expect(catchProblems(() => toBody("mock", { ...draft, displayConfig: table("rows") }))).toEqual([]);
  });

  it("sends the body's template as JSON, and is refused with one that cannot be sent", () => {
    const draft = { ...createEmptyDraft("http"), httpUrl: "https://example.com", requires: "verified" as const };
    const httpBody = { to: "{{visitor.id}}", list: [1] };
    const saved = toDraft({ httpBody, sendVisitorToken: true });
    expect(toBody("http", { ...draft, httpBody: saved.httpBody, sendVisitorToken: true })).toMatchObject({
      httpBody,
      sendVisitorToken: true,
      requires: "verified",
    });
    expect(toBody("http", { ...draft, httpBody: " " })).toMatchObject({ httpBody: null, sendVisitorToken: false });
    const problems = [
      ['{\n"a": 1,\n}', "Line 2: Remove this comma: nothing follows it."],
      ['"text"', "must be a JSON object or list"],
      ['{"a":"{bike}"}', "has {bike}, but the tool has no input of that name. Add the input, or remove {bike}"],
    ];
    for (const [text = "", message] of problems) {
      expect(catchProblems(() => toBody("http", { ...draft, httpBody: text }))).toEqual([
        { path: "httpBody", message },
      ]);
    }
  });

  it("keeps a row's key when it is changed, and out of JSON", () => {
    const row = withKey({ name: "a" });
    const changed = { ...row, name: "b" };
    expect(rowKey(changed)).toBe(rowKey(row));
    expect(JSON.stringify(row)).toBe('{"name":"a"}');
  });
});

describe("an input schema", () => {
  it("stays the same after conversion to fields and back", () => {
    const schema = form.inputSchema;
    expect(toSchema(toSchemaDraft(schema))).toEqual(schema);
    const read = readSchemaText(JSON.stringify(schema));
    expect("line" in read ? read : toSchema(read)).toEqual(schema);
  });

  it.each([
    ["[]", 1],
    ['{\n"properties": []}', 2],
    ['{\n"properties": {\n"a": true}}', 3],
    ['{\n\n"required": ["a"]}', 3],
    ['{"properties": {},\n"required": 1}', 2],
  ])("is not converted to fields from %j", (text, line) => {
    expect(readSchemaText(text)).toMatchObject({ line });
  });
});

describe("names of tools and fields", () => {
  it("are derived from typed text", () => {
    expect(toToolName("Stock look-up")).toBe("stock_look_up");
    expect(toToolName("Größe 2")).toBe("gro_e_");
    expect(toFieldName("Photo of your old bike?")).toBe("photo_of_your_old_bike");
    expect(uniqueName("bike", ["bike", "bike_2"])).toBe("bike_3");
  });
});
