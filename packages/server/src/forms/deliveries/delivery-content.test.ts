import type { FormField } from "@foyer/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SubmissionRow } from "../../db/tables/forms.ts";
import { renderMail } from "../../outbound/mail-content.ts";
import { createPayloadBody, createWebhookBody, formatValue } from "./delivery-content.ts";
import { createEmailContent, createTeamChatBody } from "./delivery-texts.ts";

type Content = Parameters<typeof createWebhookBody>[0];
type File = Content["files"][number];

const createdAt = Date.parse("2026-01-31T09:30:00.123Z");

function createContent(formData: object, files: readonly File[] = []): Content {
  const submission: SubmissionRow = {
    id: "sub_1",
    organizationId: "org_1",
    agentId: "agent_1",
    toolId: "tool_1",
    toolName: "contact_us",
    hasConversationProof: 0,
    userId: null,
    verifiedVisitor: null,
    conversationId: null,
    executionMode: "webhook",
    clientHandler: null,
    formData: JSON.stringify(formData),
    fieldsCompleted: "[]",
    changedByVisitor: null,
    impressionAt: null,
    startedAt: null,
    formInstanceId: "i",
    status: "pending",
    clientResult: null,
    createdAt,
    updatedAt: createdAt,
  };
  return { submission, files };
}

function createFile(field: string, content: Buffer, prefix = "data:application/pdf;base64,"): File {
  return { field, content, prefix, mediaType: "application/pdf", size: content.length, name: null };
}

const formatDataUrl = ({ prefix, content }: File) => prefix + content.toString("base64");
const formatMessage = (messageTemplate: string, formData: object, webhookUrl = "https://hooks.example/x") =>
  JSON.parse(createTeamChatBody({ messageTemplate, webhookUrl }, createContent(formData)));

it("team chat messages show checkboxes as true and false", () => {
  expect(formatMessage("{{consent}}, {{news}}", { consent: true, news: false })).toEqual({ text: "true, false" });
});

/** Of an email to someone who is not a member, about a form that was deleted. */
const facts = { fields: [], timeZone: "UTC", url: null };

describe("the body of a webhook", () => {
  it("has exactly the documented fields", async () => {
    const body = await createWebhookBody(createContent({ name: "Ada" }));
    expect(body.toString()).toBe(
      '{"submissionId":"sub_1","toolId":"tool_1","toolName":"contact_us","conversationId":null,' +
        '"formData":{"name":"Ada"},"submittedAt":"2026-01-31T09:30:00.123Z"}',
    );
  });

  it.each([0, 1, 2, 3, 768 * 1024 - 1, 768 * 1024, 768 * 1024 + 1, 5 * 1024 * 1024])(
    "contains a file of %d bytes as it was submitted",
    async (size) => {
      const file = createFile("cv", Buffer.alloc(size, "0123456789"), 'data:text/x;name="a\\b";base64,');
      const { formData } = JSON.parse(
        (await createWebhookBody(createContent({ a: 1, cv: null, z: 2 }, [file]))).toString(),
      );
      expect(formData.cv === formatDataUrl(file)).toBe(true);
      expect(Object.keys(formData)).toEqual(["a", "cv", "z"]);
    },
  );

  it("equals JSON.stringify of the plain object for any data and files", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({
        unit: fc.constantFrom("\\", '"', "u0000", "file 0", "\\u0000file 0", "\\u0000", "ü", "🚲", "\ud800"),
      }),
    );
    const anyFile = fc.record({
      field: fc.oneof(fc.constantFrom("cv", "photo", "a.b", '"', "\\"), text),
      content: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
      prefix: text.map((between) => `data:${between};base64,`),
    });
    const files = fc.uniqueArray(anyFile, { maxLength: 4, selector: ({ field }) => field });
    const data = fc.dictionary(text, fc.jsonValue({ depthSize: "small", stringUnit: "binary" }), { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(data, files, async (plain, raw) => {
        const kept = raw.map(({ field, content, prefix }) => createFile(field, content, prefix));
        const content = createContent(
          { ...plain, ...Object.fromEntries(kept.map(({ field }) => [field, null])) },
          kept,
        );
        const { submission } = content;
        const whole = {
          submissionId: "sub_1",
          toolId: "tool_1",
          toolName: "contact_us",
          conversationId: null,
          formData: {
            ...JSON.parse(submission.formData),
            ...Object.fromEntries(kept.map((file) => [file.field, formatDataUrl(file)])),
          },
          submittedAt: "2026-01-31T09:30:00.123Z",
        };
        expect((await createWebhookBody(content)).toString()).toBe(JSON.stringify(whole));
        // Use the same names in a template, with text directly before and after the file.
        const names = Object.keys(plain).filter((name) => name === name.trim() && !/[{}]/.test(name) && name !== "");
        const filled = names.map((name) => `{{${name}}}{{cv}}{{${name}}}`);
        const values = names.map((name) => {
          const value = formatValue(JSON.parse(submission.formData)[name]);
          const own = kept.find(({ field }) => field === name);
          const cv = kept.find(({ field }) => field === "cv");
          const around = own ? formatDataUrl(own) : name === "_toolName" ? "contact_us" : value;
          return around + (cv ? formatDataUrl(cv) : formatValue(plain.cv)) + around;
        });
        expect((await createPayloadBody({ filled }, content)).toString()).toBe(JSON.stringify({ filled: values }));
      }),
      { numRuns: 300 },
    );
  });
});

describe("a payload", () => {
  it("is filled in within every text at any depth, and nowhere else", async () => {
    const payload = {
      "{{name}}": "Hello {{ name }}, from {{_toolName}}",
      nested: { list: ["{{name}}", { deep: "{{choices}}" }, 7, null, true], number: "{{age}}" },
      unknown: "[{{nobody}}{{constructor}}{{__proto__}}{{}}]",
      once: "{{trick}}",
    };
    const content = createContent({ name: 'A "quoted" \\ name\n', choices: ["a", "b"], age: 42, trick: "{{name}}" });
    expect(JSON.parse((await createPayloadBody(payload, content)).toString())).toEqual({
      "{{name}}": 'Hello A "quoted" \\ name\n, from contact_us',
      nested: { list: ['A "quoted" \\ name\n', { deep: ["a", "b"] }, 7, null, true], number: 42 },
      unknown: "[{{}}]",
      once: "{{name}}",
    });
  });

  it("contains a file as a data URL wherever it is named", async () => {
    const file = createFile("cv", Buffer.from("Ada"));
    const body = await createPayloadBody({ a: "{{cv}}", b: ["<{{cv}}{{cv}}>"] }, createContent({ cv: null }, [file]));
    expect(JSON.parse(body.toString())).toEqual({
      a: formatDataUrl(file),
      b: [`<${formatDataUrl(file)}${formatDataUrl(file)}>`],
    });
  });

  it("is limited in size when it repeats a long text or a file", async () => {
    const text = createContent({ text: "x".repeat(990_000) });
    await expect(createPayloadBody({ a: Array(10).fill("{{text}}") }, text)).rejects.toThrow(
      "more than 4000000 characters",
    );
    await expect(createPayloadBody({ a: Array(4).fill("{{text}}") }, text)).resolves.toHaveLength(3_960_019);
    expect(() => createTeamChatBody({ message: "{{text}}".repeat(10) }, text)).toThrow("more than 4000000 characters");
    expect(() => createEmailContent({ subject: "{{text}}".repeat(10) }, text, facts)).toThrow(
      "more than 4000000 characters",
    );
    const file = createContent({ cv: null }, [createFile("cv", Buffer.alloc(5 * 1024 * 1024))]);
    await expect(createPayloadBody({ a: Array(8).fill("{{cv}}") }, file)).rejects.toThrow("more than 32 MiB");
  });

  it("never takes a visitor's text for a file", async () => {
    const file = createFile("cv", Buffer.from("Ada"));
    for (const name of ["\\u0000file 0", "\\u0000file 0\\u0000", "file 0", "\\", '"', '\\"']) {
      const body = await createPayloadBody(
        { all: "{{name}}{{cv}}{{name}}" },
        createContent({ name, cv: null }, [file]),
      );
      expect(JSON.parse(body.toString()), name).toEqual({ all: name + formatDataUrl(file) + name });
    }
  });
});

describe("a team chat message", () => {
  it("is the filled-in template, given as message or messageTemplate", () => {
    expect(formatMessage("{{name}} wrote by {{_toolName}}: {{text}}{{nobody}}", { name: "Ada", text: "Hi" })).toEqual({
      text: "Ada wrote by contact_us: Hi",
    });
    const action = { message: "From {{name}}", webhookUrl: "https://hooks.example/x" };
    expect(JSON.parse(createTeamChatBody(action, createContent({ name: "Ada" })))).toEqual({ text: "From Ada" });
  });

  it("escapes the visitor's text and keeps the owner's formatting", () => {
    expect(formatMessage("<!here> {{text}}", { text: "<!channel> & <https://evil.example|here> &lt;" })).toEqual({
      text: "<!here> &lt;!channel&gt; &amp; &lt;https://evil.example|here&gt; &amp;lt;",
    });
  });

  it.each([
    ["@channel, @here and (@all)", "@\u200bchannel, @\u200bhere and (@\u200ball)"],
    ["[Approve](https://evil.example)", "\\[Approve\\](https://evil.example)"],
    ["![](https://evil.example/beacon.png)", "!\\[\\](https://evil.example/beacon.png)"],
    ["# Heading\n> quote", "\\# Heading\n\\&gt; quote"],
    ["maria_d@example.com", "maria_d@example.com"],
  ])("shows %j as plain text in a chat that renders Markdown", (text, shown) => {
    expect(formatMessage("{{text}}", { text }).text).toBe(shown);
  });

  it("does not escape Markdown for Slack, which does not render it", () => {
    const url = "https://hooks.slack.com/services/1";
    expect(formatMessage("{{text}}", { text: "[a](b) @here <!here>" }, url).text).toBe("[a](b) @here &lt;!here&gt;");
  });

  it("lists files by name without attaching them", () => {
    const content = createContent({ cv: null }, [createFile("cv", Buffer.alloc(1_000))]);
    expect(JSON.parse(createTeamChatBody({ message: "CV: {{cv}}" }, content))).toEqual({
      text: "CV: (file: application/pdf, 1000 bytes)",
    });
  });

  it.each([
    "https://discord.com/api/webhooks/1/a",
    "https://discordapp.com/api/webhooks/1/a",
    "https://ptb.discord.com/api/webhooks/1/a",
    "https://canary.discord.com/api/webhooks/1/a",
  ])("uses content without mentions at %s", (url) => {
    expect(formatMessage("{{text}}", { text: "@everyone & <b>" }, url)).toEqual({
      content: "@everyone & <b>",
      allowed_mentions: { parse: [] },
    });
  });

  it.each([
    "https://discord.com/channels/1",
    "https://discord.com.evil.example/api/webhooks/1/a",
    "https://hooks.example/discord.com/api/webhooks/1",
  ])("uses text at %s", (url) => {
    expect(formatMessage("{{text}}", { text: "a" }, url)).toEqual({ text: "a" });
  });

  it("is cut to 2,000 characters for Discord without splitting a character", () => {
    const url = "https://discord.com/api/webhooks/1/a";
    expect(formatMessage("{{text}}", { text: "x".repeat(2_000) }, url).content).toBe("x".repeat(2_000));
    const { content } = formatMessage("{{text}}", { text: "🚲".repeat(2_500) }, url);
    expect([...content]).toHaveLength(2_000);
    expect(content).toBe(`${"🚲".repeat(1_999)}…`);
  });

  it.each([
    "https://prod-1.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke",
    "https://default1.2.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/1/triggers/manual/paths/invoke",
    "https://gateway.example/workflows/1/triggers/manual/paths/invoke",
  ])("is a card with a block per line for a workflow of Microsoft Teams at %s", (url) => {
    const { type, attachments } = formatMessage("New:\n{{text}}", { text: "[a](https://evil.example)" }, url);
    expect(type).toBe("message");
    expect(attachments).toHaveLength(1);
    expect(attachments[0].contentType).toBe("application/vnd.microsoft.card.adaptive");
    const texts = attachments[0].content.body.map(({ text }: { text: string }) => text);
    expect(texts).toEqual(["New:", "\\[a\\](https://evil.example)"]);
  });

  it("has no links or mentions of a visitor for Google Chat", () => {
    const url = "https://chat.googleapis.com/v1/spaces/1/messages?key=1";
    const { text } = formatMessage("{{text}}", { text: "<https://evil.example|a> <users/all>" }, url);
    expect(text).toBe("<\u200bhttps://evil.example|a> <\u200busers/all>");
  });
});

describe("an email", () => {
  const fields: FormField[] = [
    { name: "name", label: "Your name", type: "text" },
    { name: "day", label: "Day", type: "date" },
    { name: "bikes", label: "Bikes", type: "multiselect", options: [{ value: "city-one", label: "City One" }] },
    { name: "cv", label: "CV", type: "file" },
    { name: "note", label: "Note", type: "textarea" },
  ];

  it("has one line for each answer as the form words it, the address of the submission, and its origin", () => {
    const answers = { old: "x", day: "2026-12-10", name: "Ada", bikes: ["city-one", "gone"], cv: null, note: " " };
    const content = createContent(answers, [createFile("cv", Buffer.alloc(10))]);
    const url = "https://chat.example/dashboard/forms/submissions/sub_1";
    const mail = createEmailContent({}, content, { fields, timeZone: "Europe/Zurich", url });
    expect(mail.subject).toBe("New submission of contact_us");
    expect(renderMail(mail, "chat.example").text).toBe(
      [
        "Your name: Ada",
        "Day: 10 December 2026",
        "Bikes: City One, gone",
        "CV: (file: application/pdf, 10 bytes)",
        "old: x",
        "",
        "Open the submission:",
        url,
        "",
        "Form: contact_us",
        "Submitted: 31 January 2026 at 10:30 (Europe/Zurich)",
        "Submission: sub_1",
      ].join("\n"),
    );
  });

  it("to someone who is not a member has no address of the dashboard", () => {
    const mail = createEmailContent({}, createContent({ name: "Ada" }), facts);
    expect(renderMail(mail, "chat.example").html).not.toContain("href");
  });

  it("has a one-line subject, whatever the visitor entered", () => {
    const name = "Ada\r\nBcc: everybody@example.com\u2028\u0085X: 1";
    const { subject } = createEmailContent({ subject: "From {{name}}" }, createContent({ name }), facts);
    expect(subject).toMatch(/^From Ada Bcc: everybody@example.com.*X: 1$/);
    expect(subject).not.toMatch(/[\r\n\u2028]/);
    expect([
      ...createEmailContent({ subject: "{{name}}" }, createContent({ name: "🚲".repeat(999) }), facts).subject,
    ]).toHaveLength(250);
  });
});

it.each([
  [null, ""],
  [undefined, ""],
  ["text", "text"],
  [0, "0"],
  [false, "false"],
  [["a", ["b", null], 1], "a, b, , 1"],
  [{ a: [1] }, '{"a":[1]}'],
])("formats %j as the text %j", (value, text) => {
  expect(formatValue(value)).toBe(text);
});
