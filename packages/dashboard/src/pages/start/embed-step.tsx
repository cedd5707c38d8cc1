import { Copyable } from "../../components/copyable.tsx";
import { embedLine } from "../agents/embed-line.ts";
import { PasteHints } from "../agents/paste-hints.tsx";
import type { StartAgent } from "./start-page.tsx";
import { StepFrame } from "./step-frame.tsx";

/** The one line, and where it goes. */
export function EmbedStep({ agent }: { agent: StartAgent }) {
  return (
    <StepFrame
      title="Copy one line into your pages"
      description="It shows a lamp in the corner, which opens the chat. It loads last, and touches nothing of your page."
      step="embed"
      agentId={agent.id}
      next={{ label: "Wait for the first visitor", isSubmit: false }}
    >
      <Copyable label="the line" text={embedLine(agent.id)} />
      <PasteHints />
      <p className="max-w-[60ch] text-soft">
        No site at hand?{" "}
        <a href={`/demo/${agent.id}`} target="_blank" rel="noopener" className="text-ink underline underline-offset-2">
          The demo page of {agent.name}
        </a>{" "}
        has the line already.
      </p>
    </StepFrame>
  );
}
