/** @jsxImportSource preact */
import type { JSX } from "preact";
import { CopyButton } from "../chat/copy-button.tsx";

/** A listing with a button that copies it. */
export function CodeBlock({ language, text }: { language: string; text: string }): JSX.Element {
  return (
    <div class="code">
      <div class="code-bar">
        <span>{language}</span>
        <CopyButton text={() => text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard */}
      <pre tabIndex={0} dir="ltr">
        <code>{text}</code>
      </pre>
    </div>
  );
}
