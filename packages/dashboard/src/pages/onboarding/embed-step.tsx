import { CopyField } from "../../components/copy-field.tsx";
import { serverPath } from "../../data/server-address.ts";
import { embedCode } from "../agents/embed-line.ts";
import { LoopbackWarning } from "../agents/loopback-warning.tsx";
import { PasteHints } from "../agents/paste-hints.tsx";
import type { OnboardingAgent } from "./onboarding-steps.ts";
import { StepFrame } from "./step-frame.tsx";

/** The script tag, and where to paste it. */
export function EmbedStep({ agent }: { agent: OnboardingAgent }) {
  return (
    <StepFrame
      title="Add one line to your pages"
      description="It adds a chat button to the corner of the page. It loads after your page and doesn't touch the rest of it."
      step="embed"
      agentId={agent.id}
      next={{ label: "Continue", isSubmit: false }}
    >
      <CopyField label="the line" text={embedCode(agent.id)} />
      <LoopbackWarning />
      <PasteHints />
      <p className="max-w-[60ch] text-soft">
        No website at hand?{" "}
        <a
          href={serverPath(`/demo/${agent.id}`)}
          target="_blank"
          rel="noopener"
          className="text-ink underline underline-offset-2"
        >
          {agent.name}'s demo page
        </a>{" "}
        already includes it.
      </p>
    </StepFrame>
  );
}
