import { useCallback, useState } from "react";
import { TrialChat } from "../agents/trial/trial-chat.tsx";
import { exampleQuestions } from "./example-prompt.ts";
import type { StartAgent } from "./start-page.tsx";
import { StepFrame } from "./step-frame.tsx";

/** The agent as visitors will have it. */
export function TryStep({ agent }: { agent: StartAgent }) {
  const [hasReply, setHasReply] = useState(false);
  const onReply = useCallback(() => setHasReply(true), []);
  const own = agent.widget.suggestions ?? [];
  const isExample = agent.systemPrompt?.includes("Harbour Bikes");
  return (
    <StepFrame
      title={`Talk to ${agent.name}`}
      description="If an answer is missing or wrong, go back a step and say it more clearly in the prompt."
      step="try"
      agentId={agent.id}
      isMain={hasReply}
      next={{ label: hasReply ? "Go on" : "Go on without trying", isSubmit: false }}
    >
      <TrialChat
        agentId={agent.id}
        agentName={agent.name}
        suggestions={own.length > 0 ? own : isExample ? exampleQuestions : ["What can you help me with?"]}
        onReply={onReply}
        className="h-[26rem]"
      />
    </StepFrame>
  );
}
