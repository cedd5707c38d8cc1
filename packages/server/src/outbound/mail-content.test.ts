import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTime } from "../format-time.ts";
import { type MailContent, renderMail } from "./mail-content.ts";

/** An email with every kind of part, and the same text at every place. */
function createMail(text: string, changes: Partial<MailContent> = {}): MailContent {
  return {
    subject: text,
    parts: [
      text,
      { type: "facts", facts: [[text, text]] },
      { type: "link", label: text, url: `https://chat.example/${text}` },
      { type: "link", label: text, url: "https://chat.example/settings" },
      { type: "quotes", title: text, quotes: [{ author: text, text }] },
      { type: "footer", text },
    ],
    ...changes,
  };
}

const tagsOf = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/ href="[^"]*"/, " href")) ?? [];

describe("the HTML of an email", () => {
  const usual = tagsOf(renderMail(createMail("x"), "chat.example").html);

  it("contains no markup from the texts", () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        "<",
        ">",
        '"',
        "'",
        "&",
        "&lt;",
        "=",
        " ",
        "/",
        "<!--",
        "-->",
        "</p>",
        "<img src=//e.example>",
      ),
    });
    const property = fc.property(hostile, (text) => {
      expect(tagsOf(renderMail(createMail(text), "chat.example").html)).toEqual(usual);
    });
    fc.assert(property);
  });

  it("contains no links except those of the server", () => {
    const { html } = renderMail(createMail("https://evil.example www.evil.example"), "chat.example");
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url = ""]) => new URL(url).origin);
    expect(links).toEqual(["https://chat.example", "https://chat.example"]);
  });

  it("loads nothing from the network", () => {
    expect(renderMail(createMail("x"), "chat.example").html).not.toMatch(
      /\bsrc="(?!cid:)|url\(|@import|<link|<script|background=/i,
    );
  });

  it("leaves the colors of text and page to the mail program, which may be dark", () => {
    const { html } = renderMail(createMail("x"), "chat.example");
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    const colored = html.match(/<[^>]*[;"]color:[^>]*>/g) ?? [];
    expect(colored.map((tag) => /background-color:#f59e0b;color:#1c1917/.test(tag))).toEqual([true]);
  });

  it("shows the first link as a button, without the colon of its text", () => {
    const { html } = renderMail(createMail("Weiter:"), "chat.example");
    expect(html).toMatch(/<a href="https:\/\/chat\.example\/Weiter:" style="[^"]+">Weiter<\/a>/);
    expect(html).toContain('<a href="https://chat.example/settings">Weiter</a>');
  });

  it("names Foyer and the server, or the sender of an email to a visitor in its color", () => {
    const own = renderMail(createMail("x"), "chat.example").html;
    expect(own).toMatch(/>Foyer<[\s\S]*>chat\.example</);
    const { html } = renderMail(createMail("x", { sender: { name: "Harbour <b>", color: "#0f766e" } }), "chat.example");
    expect(html).toContain(">Harbour &lt;b&gt;<");
    expect(html).toContain("border-top:4px solid #0f766e");
    expect(html).toContain("background-color:#0f766e;color:#ffffff");
  });

  it.each([
    ["en", undefined, "ltr"],
    ["de", "de", "ltr"],
    ["ar", "ar", "rtl"],
  ])("is marked as %s", (lang, language, direction) => {
    const { html } = renderMail(createMail("x", language === undefined ? {} : { language }), "chat.example");
    expect(html).toContain(`<html lang="${lang}" dir="${direction}">`);
  });
});

it("in the text of an email, a value cannot imitate another line", () => {
  const value = "a\nReason: b\r\n> c\u2028Summary: d";
  const { text } = renderMail(
    {
      subject: "x",
      parts: [
        { type: "facts", facts: [["Visitor", value]] },
        { type: "quotes", title: "Earlier", quotes: [{ author: "You", text: value }] },
      ],
    },
    "chat.example",
  );
  const shown = ["Visitor: a", "    Reason: b", "    > c", "    Summary: d", "", "Earlier"];
  const quoted = ["> You: a", ">     Reason: b", ">     > c", ">     Summary: d"];
  expect(text.split("\n")).toEqual([...shown, ...quoted]);
});

it.each([
  ["Europe/Zurich", "31 January 2026 at 10:30 (Europe/Zurich)"],
  ["Asia/Kolkata", "31 January 2026 at 15:00 (Asia/Kolkata)"],
  ["UTC", "31 January 2026 at 09:30 (UTC)"],
])("a time in an email is in the time zone %s and names it", (timeZone, text) => {
  expect(formatTime(Date.parse("2026-01-31T09:30:00Z"), timeZone)).toBe(text);
});
