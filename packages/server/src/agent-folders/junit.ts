/** The results of an agent's tests. */
export type TestReport = {
  slug: string;
  results: ReadonlyArray<{
    name: string;
    passed: boolean;
    passes: number;
    runs: number;
    failures: ReadonlyArray<{ check: { kind: string } | null; got: string }>;
  }>;
};

/** The results in the format of JUnit, which most CI systems show. */
export function toJunit(reports: readonly TestReport[]): string {
  const suites = reports.flatMap(({ slug, results }) => {
    const failed = results.filter(({ passed }) => !passed).length;
    return [
      `  <testsuite name="${escapeXml(slug)}" tests="${results.length}" failures="${failed}">`,
      ...results.flatMap((result) => toCase(slug, result)),
      "  </testsuite>",
    ];
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", ...suites, "</testsuites>", ""].join("\n");
}

function toCase(slug: string, { name, passed, passes, runs, failures }: TestReport["results"][number]): string[] {
  const open = `    <testcase classname="${escapeXml(slug)}" name="${escapeXml(name)}"`;
  if (passed) return [`${open} />`];
  const lines = failures.map(describeFailure).join("\n");
  const message = `passed ${passes} of ${runs} runs`;
  return [`${open}>`, `      <failure message="${message}">${escapeXml(lines)}</failure>`, "    </testcase>"];
}

/** What a check expected and what came instead. */
export function describeFailure({ check, got }: TestReport["results"][number]["failures"][number]): string {
  return check === null ? got : `${JSON.stringify(check)}: ${got}`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** XML knows no control characters except tabs and line breaks. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"]/g, (character) => entities[character] ?? "")
    .replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
}
