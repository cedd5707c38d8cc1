import { chooseReadableColor, LAMP } from "@foyer/contract/rules/accent-contrast";
import { escapeHtml } from "../escape-html.ts";
import { stripMarkdown } from "../strip-markdown.ts";

/**
 * A part of an email. A string is a paragraph. The first link is shown as a button. No other part becomes a link, and no
 * text becomes markup.
 */
export type MailPart =
  | string
  | { type: "link"; label: string; url: string }
  /** links in a row, each with a short text. In plain text, they become one link without a choice. */
  | {
      type: "choices";
      label: string;
      url: string;
      choices: ReadonlyArray<{ text: string; label: string; url: string }>;
    }
  | { type: "facts"; facts: ReadonlyArray<readonly [label: string, value: string]> }
  | { type: "quotes"; title: string; quotes: ReadonlyArray<{ author: string; text: string }> }
  /** a member's words: their links become links, and their other formatting is removed */
  | { type: "answer"; markdown: string }
  | { type: "footer"; text: string };

export type MailContent = {
  subject: string;
  parts: readonly MailPart[];
  /** the language tag of the texts; English by default */
  language?: string;
  /** whose name and color (`#rrggbb`) an email to a visitor has. Emails to members have those of Foyer. */
  sender?: { name: string; color: string | null };
};

/** The `Content-ID` of the lamp, which is part of every email. */
export const LAMP_ID = "lamp@foyer";

/**
 * Renders an email as plain text, and as an HTML page with the same content.
 * @param serverName the host of this server, which the HTML page names at its end
 */
export function renderMail(content: MailContent, serverName: string): { text: string; html: string } {
  return { text: content.parts.map(toText).join("\n\n"), html: toHtml(content, serverName) };
}

function toText(part: MailPart): string {
  if (typeof part === "string") return part;
  switch (part.type) {
    case "link":
      return `${part.label}\n${part.url}`;
    case "choices":
      return `${part.label}\n${part.url}`;
    case "facts":
      return part.facts.map(([label, value]) => `${label}: ${indentContinuationLines(value)}`).join("\n");
    case "quotes": {
      const quotes = part.quotes.map(({ author, text }) => `> ${author}: ${indentContinuationLines(text, "> ")}`);
      return [part.title, ...quotes].join("\n");
    }
    case "answer":
      return renderAnswer(part.markdown, { text: (text) => text, link: (label, url) => `${label} (${url})` });
    case "footer":
      return part.text;
  }
}

const lineBreaks = /\r\n|[\r\n\u2028\u2029]/g;

/** Indents continuation lines, so that a value cannot imitate other lines of the email. */
const indentContinuationLines = (text: string, mark = "") => text.replace(lineBreaks, `\n${mark}    `);

/**
 * The styles are inline, because some mail programs ignore style sheets. Except for the button, text and background have
 * the colors of the mail program, so they stay readable in dark mode. Outlook renders with Word, which knows tables and
 * their cells, but neither `max-width` nor the padding of a link. Nothing is loaded from the network.
 */
const styles = {
  body: "margin:0;padding:0;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif",
  page: "max-width:560px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;overflow-wrap:anywhere",
  name: "padding:16px 0 0 12px;font-weight:600",
  heading: "margin:16px 0;font-size:20px;line-height:28px;font-weight:600",
  paragraph: "margin:0 0 16px",
  button: "border-radius:8px;padding:10px 18px",
  buttonLink: "font-weight:600;text-decoration:none",
  choice:
    "display:inline-block;min-width:44px;margin-inline-end:8px;padding:10px 0;border:1px solid #808080;border-radius:8px;color:inherit;font-weight:600;text-align:center;text-decoration:none",
  facts: "margin:0 0 16px;border-collapse:collapse",
  label: "padding:3px 16px 3px 0;opacity:0.75;text-align:start;vertical-align:top;font-weight:400",
  value: "padding:3px 0;vertical-align:top",
  title: "margin:0 0 8px;opacity:0.75",
  quotes: "margin:0 0 16px;padding:0 16px;border-inline-start:3px solid #808080",
  footer: "margin:24px 0 0;opacity:0.75;font-size:13px",
} as const;

const layout = 'role="presentation" cellpadding="0" cellspacing="0" border="0"';

function toHtml({ subject, parts, language = "en", sender }: MailContent, serverName: string): string {
  const button = parts.find((part) => typeof part === "object" && part.type === "link");
  const color = sender?.color ?? LAMP;
  return `<!doctype html>
<html lang="${escapeHtml(language)}" dir="${language.startsWith("ar") ? "rtl" : "ltr"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="${styles.body}">
<table ${layout} width="100%"><tr><td align="center" style="padding:24px 16px">
<!--[if mso]><table ${layout} width="560"><tr><td><![endif]-->
<table ${layout} width="100%" style="${styles.page}"><tr><td style="border-top:4px solid ${color}">
<table ${layout}><tr><td valign="top"><img src="cid:${LAMP_ID}" width="28" height="28" alt=""></td>
${element("td", "name", escapeHtml(sender?.name ?? "Foyer"))}</tr></table>
${element("h1", "heading", escapeHtml(subject))}
${parts.map((part) => toElement(part, { buttonColor: part === button ? color : null })).join("\n")}
${element("p", "footer", escapeHtml(serverName))}
</td></tr></table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>`;
}

function toElement(part: MailPart, { buttonColor }: { buttonColor: string | null }): string {
  if (typeof part === "string") return element("p", "paragraph", toLines(part));
  switch (part.type) {
    case "link": {
      const label = escapeHtml(part.label.replace(/\s*[:：]$/u, ""));
      const link = (style: string) => `<a href="${escapeHtml(part.url)}"${style}>${label}</a>`;
      if (buttonColor === null) return element("p", "paragraph", link(""));
      const colors = `background-color:${buttonColor};color:${chooseReadableColor(buttonColor)}`;
      const cell = `<td bgcolor="${buttonColor}" style="${styles.button}">${link(` style="${colors};${styles.buttonLink}"`)}</td>`;
      return `<table ${layout} style="${styles.paragraph}"><tr>${cell}</tr></table>`;
    }
    case "choices": {
      const links = part.choices.map(({ text, label, url }) => {
        const attributes = `href="${escapeHtml(url)}" title="${escapeHtml(label)}" aria-label="${escapeHtml(label)}"`;
        return `<a ${attributes} style="${styles.choice}">${escapeHtml(text)}</a>`;
      });
      return element("p", "paragraph", links.join("\n"));
    }
    case "facts": {
      const rows = part.facts.map(
        ([label, value]) =>
          `<tr>${element("th", "label", escapeHtml(label))}${element("td", "value", toLines(value))}</tr>`,
      );
      return element("table", "facts", rows.join("\n"));
    }
    case "quotes": {
      const quotes = part.quotes.map(({ author, text }) =>
        element("p", "paragraph", `<strong>${escapeHtml(author)}</strong><br>${toLines(text)}`),
      );
      return element("p", "title", escapeHtml(part.title)) + element("blockquote", "quotes", quotes.join("\n"));
    }
    case "answer": {
      const link = (label: string, url: string) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;
      return element("p", "paragraph", renderAnswer(part.markdown, { text: toLines, link }));
    }
    case "footer":
      return element("p", "footer", escapeHtml(part.text));
  }
}

const markdownLink = /\[([^\]\n]{1,500})\]\((https?:\/\/[^)\s]{1,2000})\)/g;

/** Renders the links of a Markdown text, and the text around them without its formatting. */
function renderAnswer(
  markdown: string,
  render: { text: (text: string) => string; link: (label: string, url: string) => string },
): string {
  const links: string[] = [];
  // A control character stands for each link, because formatting can begin before a link and end after it.
  const marked = markdown.replaceAll("\u0001", "").replace(markdownLink, (_, label: string, url: string) => {
    links.push(render.link(stripMarkdown(label), url));
    return "\u0001";
  });
  return render.text(stripMarkdown(marked)).replaceAll("\u0001", () => links.shift() ?? "");
}

const toLines = (text: string) => escapeHtml(text).replace(lineBreaks, "<br>");

/** The direction follows the text, because members and visitors may write in another language than that of the email. */
const element = (name: string, style: keyof typeof styles, html: string) =>
  `<${name} dir="auto" style="${styles[style]}">${html}</${name}>`;
