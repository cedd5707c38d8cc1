/** @jsxImportSource preact */
import type { JSX } from "preact";
import { CopyButton } from "./copy-button.tsx";

/** A code block with a copy button. */
export function CodeBlock({ language, text }: { language: string; text: string }): JSX.Element {
  return (
    <div class="code">
      <div class="code-bar">
        <span>{language}</span>
        <CopyButton text={() => text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard */}
      <pre tabIndex={0} dir="ltr">
        <code>{text}</code>
      </pre>
    </div>
  );
}
