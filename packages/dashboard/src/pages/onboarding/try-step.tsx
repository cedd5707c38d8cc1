import { useCallback, useState } from "react";
import { refresh } from "../../data/queries.ts";
import { PlaygroundChat } from "../agents/playground/playground-chat.tsx";
import { exampleQuestions } from "./example-prompt.ts";
import type { OnboardingAgent } from "./onboarding-steps.ts";
import { StepFrame } from "./step-frame.tsx";

/** A first chat with the agent. */
export function TryStep({ agent }: { agent: OnboardingAgent }) {
  const [hasReply, setHasReply] = useState(false);
  const onReply = useCallback(() => {
    setHasReply(true);
    void refresh("listConversations");
  }, []);
  const own = agent.widget.suggestions ?? [];
  const isExample = agent.systemPrompt?.includes("Harbour Bikes");
  return (
    <StepFrame
      title={`Talk to ${agent.name}`}
      description="If an answer is missing or wrong, go back one step and make the prompt clearer."
      step="try"
      agentId={agent.id}
      isMain={hasReply}
      next={{ label: hasReply ? "Continue" : "Skip", isSubmit: false }}
    >
      <PlaygroundChat
        agentId={agent.id}
        agentName={agent.name}
        suggestions={own.length > 0 ? own : isExample ? exampleQuestions : ["What can you help me with?"]}
        onReply={onReply}
        className="h-[26rem]"
      />
    </StepFrame>
  );
}
