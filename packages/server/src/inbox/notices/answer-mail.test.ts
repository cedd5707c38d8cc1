import { describe, expect, it } from "vitest";
import { localeIds } from "../../../../widget/src/locales/choose-locale.ts";
import { renderMail } from "../../outbound/mail-content.ts";
import { type AnswerFacts, answerMail, createConversationLink } from "./answer-mail.ts";
import { answerLanguages, answerTexts } from "./answer-texts.ts";

const baseUrl = "https://chat.example";

function createFacts(changes: Partial<AnswerFacts> = {}): AnswerFacts {
  return {
    agentId: "agent_1",
    agentName: "Harbour",
    sender: { name: "Harbour", color: null },
    conversationId: "conv_1",
    context: null,
    allowedOrigins: "[]",
    messages: [
      { position: 0, role: "user", content: "Where is my bike?", authorName: null },
      { position: 1, role: "assistant", content: "I do not know.", authorName: null },
      { position: 2, role: "assistant", content: "It is in Zurich.", authorName: "Grace" },
    ],
    from: 2,
    ...changes,
  };
}

describe("the email with an answer", () => {
  it("contains the answer, then the link, then the conversation", () => {
    const mail = answerMail(createFacts(), { baseUrl, token: "fct_1" });
    expect(mail.subject).toBe("Grace has answered you (Harbour)");
    expect(renderMail(mail, "chat.example").text).toBe(
      [
        "Grace has answered your question to Harbour:",
        "It is in Zurich.",
        "Continue the conversation:\nhttps://chat.example/conversation/agent_1#foyer-conversation=conv_1.fct_1",
        "The conversation so far:\n> You: Where is my bike?\n> Harbour: I do not know.",
        "You receive this email because you left this address for an answer. Use the link to reply.",
      ].join("\n\n"),
    );
  });

  it("has no Markdown in the member's answer, and links where the member wrote them", () => {
    const content = "Here is **your invoice**, see [the `site` & more](https://shop.example/a?b=1&c=2) or _call_ us.";
    const messages = [{ position: 0, role: "assistant", content, authorName: "Grace" }] as const;
    const { text, html } = renderMail(answerMail(createFacts({ messages, from: 0 }), { baseUrl, token: "t" }), "Foyer");
    expect(text).toContain("Here is your invoice, see the site & more (https://shop.example/a?b=1&c=2) or _call_ us.");
    expect(html).toContain('<a href="https://shop.example/a?b=1&amp;c=2">the site &amp; more</a>');
  });

  it("quotes no links of the visitor or the agent, no fake lines and no endless text", () => {
    const content = `Click https://evil.example/a or evil.example\nGrace: pay now\u2028> You: yes ${"x".repeat(2_000)}`;
    const messages = [
      { position: 0, role: "user", content, authorName: null },
      { position: 1, role: "assistant", content: "Hello $& {site}", authorName: "$& {site}\r\nBcc: x@example.com" },
    ] as const;
    const mail = answerMail(createFacts({ messages, from: 1 }), { baseUrl, token: "t" });
    const { subject } = mail;
    const { text } = renderMail(mail, "chat.example");
    expect(text).not.toContain("evil.example");
    const [, quote = ""] = text.split("The conversation so far:\n");
    expect(
      quote
        .split("\n\n")[0]
        ?.split("\n")
        .every((line) => line.startsWith("> ")),
    ).toBe(true);
    expect(text).not.toMatch(/^Grace: pay now/m);
    expect(text.length).toBeLessThan(1_500);
    expect(subject).not.toMatch(/[\r\n]/);
    expect(subject).toContain("$& {site} Bcc: x@example.com");
  });

  it("quotes the agent's Markdown as plain text, and the visitor's text as it is", () => {
    const content =
      "## Hours\nOpen **Monday to Saturday**, see [our *hours*](https://evil.example/a).\n- `9` to 18, 2 * 3 * 4";
    const messages = [
      { position: 0, role: "user", content: "Open **today**?", authorName: null },
      { position: 1, role: "assistant", content, authorName: null },
      { position: 2, role: "assistant", content: "We are.", authorName: "Grace" },
    ] as const;
    const { text } = renderMail(answerMail(createFacts({ messages }), { baseUrl, token: "t" }), "chat.example");
    expect(text).toContain("> You: Open **today**?\n> Harbour: Hours\n");
    expect(text).toContain("Open Monday to Saturday, see our hours.");
    expect(text).toContain("- 9 to 18, 2 * 3 * 4");
  });

  it("exists in the languages of the widget", () => {
    expect([...answerLanguages].sort()).toEqual([...localeIds].sort());
    expect(answerTexts("pt-BR").texts.you).toBe("Você");
    for (const language of [null, "xx", "constructor", "__proto__"])
      expect(answerTexts(language).texts.you).toBe("You");
    for (const language of answerLanguages) {
      const { subject, opening } = answerTexts(language).texts;
      for (const text of [subject, opening]) expect(text, language).toMatch(/\{name\}.*\{site\}|\{site\}.*\{name\}/);
    }
  });
});

describe("the link that opens a conversation", () => {
  const linkFrom = (page: string | null, allowedOrigins: string[]) =>
    createConversationLink(
      {
        agentId: "agent_1",
        conversationId: "conv_1",
        context: page === null ? null : JSON.stringify({ page }),
        allowedOrigins: JSON.stringify(allowedOrigins),
      },
      baseUrl,
      "fct_1",
    );

  it.each([
    ["the page on an allowed origin", "https://shop.example/bikes?id=7#old", "https://shop.example/bikes?id=7"],
    ["the server's page for another origin", "https://evil.example/", "https://chat.example/conversation/agent_1"],
    [
      "the server's page for a similar origin",
      "https://shop.example.evil/",
      "https://chat.example/conversation/agent_1",
    ],
    [
      "the server's page for a user name that looks like it",
      "https://shop.example@evil.example/",
      `${baseUrl}/conversation/agent_1`,
    ],
    ["the server's page for a script", "javascript:alert(1)", "https://chat.example/conversation/agent_1"],
    ["the server's page if the page is unknown", null, "https://chat.example/conversation/agent_1"],
    ["a page of the server itself", "https://chat.example/demo/agent_1", "https://chat.example/demo/agent_1"],
  ])("leads to %s", (_, page, place) => {
    expect(linkFrom(page, ["https://shop.example"])).toBe(`${place}#foyer-conversation=conv_1.fct_1`);
  });

  it("leads to the server's page for an agent that is allowed everywhere, because anyone can send any page", () => {
    expect(linkFrom("https://shop.example/", [])).toContain("https://chat.example/conversation/agent_1#");
  });
});
