import { matchPage, pagePatternProblem } from "@foyer/contract/rules/match-page";
import { useState } from "react";
import { TextArea } from "../../components/field.tsx";
import { Status } from "../../components/status.tsx";

const MAX_LINES = 50;

/** Which addresses a pattern fits, by the rule that visitors' pages use. */
export function PageTester({ pattern }: { pattern: string }) {
  const [text, setText] = useState("/\n/pricing\n/bikes/tender-2\n/blog/2026/spring");
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(0, MAX_LINES);
  const problem = pagePatternProblem(pattern);
  return (
    <div className="grid gap-3 rounded-lg border border-line p-4">
      <TextArea
        label="Does it fit these pages?"
        help="Paths or whole addresses of your site, one a line. What follows a ? or # does not count."
        value={text}
        onChange={setText}
        spellCheck={false}
        rows={4}
        className="font-mono"
      />
      {problem ? (
        <p className="text-sm text-soft">The pattern {problem}.</p>
      ) : (
        <ul aria-label="Which pages it fits" className="grid gap-1 text-sm">
          {lines.map((line, index) => {
            const path = pathOf(line);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines may repeat, and have no other name
              <li key={index} className="flex items-baseline gap-3">
                <code className="min-w-0 flex-1">{path ?? line}</code>
                {path === null ? (
                  <Status>No address</Status>
                ) : matchPage(pattern, path) ? (
                  <Status tone="fine">Fits</Status>
                ) : (
                  <Status>Does not fit</Status>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

/** The path as a visitor's page has it; null for what is no address. `shop.example/pricing` is one without its beginning. */
function pathOf(line: string): string | null {
  const isBare = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(line);
  try {
    return new URL(isBare ? `https://${line}` : line, "https://site.example").pathname;
  } catch {
    return null;
  }
}
