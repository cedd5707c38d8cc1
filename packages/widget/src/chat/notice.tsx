/** @jsxImportSource preact */
import type { AgentWidget } from "@foyer/sdk";
import type { ComponentChildren, JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";

/** The longest notice that fits the line below the message field, in characters. */
const MAX_LINE = 60;

/** The agent's own notice if it is too long for the line below the message field. It is read above the greeting. */
export function LongNotice(): JSX.Element | null {
  const { core } = usePanel();
  const text = noticeOf(core.agent.widget);
  return text && text.length > MAX_LINE ? (
    <p class="notice" part="notice" dir="auto">
      {text}
    </p>
  ) : null;
}

type FooterProps = {
  /** Whether the agent answers, and not a person. */
  hasAgent: boolean;
  children: ComponentChildren;
};

/** Below the message field: that an AI answers, the privacy policy, and how to reach a person. */
export function Footer({ hasAgent, children }: FooterProps): JSX.Element {
  const { core, messages } = usePanel();
  const { showAiNotice, privacyPolicyUrl } = core.agent.widget;
  const text = noticeOf(core.agent.widget) ?? messages.aiNotice;
  return (
    <div class="footer">
      {showAiNotice !== false && hasAgent && text.length <= MAX_LINE ? (
        <span part="notice" dir="auto">
          {text}
        </span>
      ) : null}
      {privacyPolicyUrl ? (
        <a href={privacyPolicyUrl} target="_blank" rel="noopener noreferrer">
          {messages.privacyPolicy}
        </a>
      ) : null}
      {children}
    </div>
  );
}

const noticeOf = ({ showAiNotice, aiNotice }: AgentWidget["widget"]) =>
  (showAiNotice !== false && aiNotice?.trim()) || null;
