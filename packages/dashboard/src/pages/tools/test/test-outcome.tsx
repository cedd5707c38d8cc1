import type { Display, Tool, ToolTest } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { Section } from "../../../components/page.tsx";
import { Skeleton } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { ResultPreview } from "../display/result-preview.tsx";
import { Exchange, Payload } from "./exchange.tsx";

/**
 * The outcome of a test run: how it ended, the request and response, the text for the model, and the visitor's view.
 */
export function TestOutcome({ tool, test, isRunning }: { tool: Tool; test: ToolTest | null; isRunning: boolean }) {
  if (!test) {
    return (
      <Section title="Outcome">
        {isRunning ? (
          <Skeleton className="h-32" />
        ) : (
          <p className="rounded-lg border border-dashed border-edge px-4 py-5 text-soft">
            Run the test to see {tool.executionType === "http" ? "the request, the response and " : ""}what the AI
            receives and the visitor sees.
          </p>
        )}
      </Section>
    );
  }
  return (
    <div className={isRunning ? "glow" : ""}>
      <Section title="Outcome" actions={<span className="text-soft">{test.durationMs} ms</span>}>
        <div role="status" className="grid gap-2">
          <Status tone={test.isError ? "wrong" : "fine"}>{test.isError ? "Failed" : "Succeeded"}</Status>
          {test.problem && <Problem problem={test.problem} />}
        </div>
      </Section>
      {test.request && <Exchange test={test} />}
      <Section title="What the AI reads">
        <Payload label="What the AI reads" text={test.forModel} />
      </Section>
      <Section
        title="What the visitor sees"
        description={test.isError ? "“I couldn't look that up.” Visitors never see the reason." : undefined}
      >
        {!test.isError && (
          <>
            <ResultPreview
              agentId={tool.agentId}
              tool={tool}
              display={test.forVisitor.display as Display}
              warnings={test.warnings}
            />
            <p className="text-soft">
              <Link
                to="."
                search={{ part: "display" } as never}
                resetScroll={false}
                className="underline underline-offset-2"
              >
                Change the display
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
          Go to Secrets
        </Link>
      )}
    </div>
  );
}
