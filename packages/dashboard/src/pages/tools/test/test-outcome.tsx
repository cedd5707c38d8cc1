import type { Tool, ToolTest } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { Section } from "../../../components/page.tsx";
import { Skeleton } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { fillDisplay } from "../display/fill-display.ts";
import { readResult } from "../display/result-paths.ts";
import { VisitorView } from "../display/visitor-view.tsx";
import { toDraft } from "../tool-draft.ts";
import { Exchange, Payload } from "./exchange.tsx";

/** What a test run did: how it ended, what was sent and came back, and who gets to know what of it. */
export function TestOutcome({ tool, test, isRunning }: { tool: Tool; test: ToolTest | null; isRunning: boolean }) {
  if (!test) {
    return (
      <Section title="Outcome">
        {isRunning ? (
          <Skeleton className="h-32" />
        ) : (
          <p className="rounded-lg border border-dashed border-edge px-4 py-5 text-soft">
            Run the tool to see {tool.executionType === "http" ? "the request, the response and " : ""}what the AI and
            the visitor get.
          </p>
        )}
      </Section>
    );
  }
  return (
    <div className={isRunning ? "glow" : ""}>
      <Section title="Outcome" actions={<span className="text-soft">{test.durationMs} ms</span>}>
        <div role="status" className="grid gap-2">
          <Status tone={test.isError ? "wrong" : "fine"}>{test.isError ? "Failed" : "Worked"}</Status>
          {test.problem && <Problem problem={test.problem} />}
        </div>
      </Section>
      {test.request && <Exchange test={test} />}
      <Section title="What the AI reads">
        <Payload label="What the AI reads" text={test.forModel} />
      </Section>
      <Section
        title="What the visitor sees"
        description={test.isError ? "That the tool did not work; never why." : undefined}
      >
        {!test.isError && (
          <>
            <VisitorView
              name={tool.name}
              display={fillDisplay(readResult(test.forModel), toDraft(tool).displayConfig)}
            />
            <p className="text-soft">
              <Link
                to="."
                search={{ part: "display" } as never}
                resetScroll={false}
                className="underline underline-offset-2"
              >
                Choose how it is shown
              </Link>
            </p>
          </>
        )}
      </Section>
    </div>
  );
}

function Problem({ problem }: { problem: string }) {
  return (
    <div className="border-s-2 border-wrong px-4 py-1">
      <p className="whitespace-pre-wrap">{problem}</p>
      {/secret/i.test(problem) && (
        <Link to="/settings/secrets" className="underline underline-offset-2">
          To the secrets
        </Link>
      )}
    </div>
  );
}
