import { matchPage, pagePatternProblem } from "@foyer/contract/rules/match-page";
import { useState } from "react";
import { TextArea } from "../../components/field.tsx";
import { Status } from "../../components/status.tsx";

const MAX_LINES = 50;

/** Tests page addresses against a pattern with the same rule that the widget uses. */
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
        label="Test page addresses"
        help="Paths or full URLs of your site, one per line. Query strings and hashes are ignored."
        value={text}
        onChange={setText}
        spellCheck={false}
        rows={4}
        className="font-mono"
      />
      {problem ? (
        <p className="text-sm text-soft">The pattern {problem}.</p>
      ) : (
        <ul aria-label="Test results" className="grid gap-1 text-sm">
          {lines.map((line, index) => {
            const path = readPath(line);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines may repeat and have no other identity
              <li key={index} className="flex items-baseline gap-3">
                <code className="min-w-0 flex-1">{path ?? line}</code>
                {path === null ? (
                  <Status>Not a URL</Status>
                ) : matchPage(pattern, path) ? (
                  <Status tone="fine">Matches</Status>
                ) : (
                  <Status>No match</Status>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

/** The path of a URL, even of one without its scheme such as `shop.example/pricing`. Null for anything else. */
function readPath(line: string): string | null {
  const isBare = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(line);
  try {
    return new URL(isBare ? `https://${line}` : line, "https://site.example").pathname;
  } catch {
    return null;
  }
}
