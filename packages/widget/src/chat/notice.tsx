/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";

/** Tells visitors that an AI answers, and links to the privacy policy. Renders nothing if the agent shows neither. */
export function Notice(): JSX.Element | null {
  const { core, messages } = usePanel();
  const { showAiNotice, aiNotice, privacyPolicyUrl } = core.agent.widget;
  const text = showAiNotice === false ? null : aiNotice?.trim() || messages.aiNotice;
  if (text === null && !privacyPolicyUrl) return null;
  return (
    <p class="notice" part="notice">
      {text !== null ? <span dir="auto">{text}</span> : null}{" "}
      {privacyPolicyUrl ? (
        <a href={privacyPolicyUrl} target="_blank" rel="noopener noreferrer">
          {messages.privacyPolicy}
        </a>
      ) : null}
    </p>
  );
}
