import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { notify } from "../data/toasts.ts";
import { IconButton } from "./button.tsx";

/** Code or a key with a copy button. It also works without the clipboard permission, for example on plain HTTP. */
export function CopyField({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await writeClipboard(text)))
      return notify("Copying failed. Select the text and copy it yourself.", { isWrong: true });
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div className="flex min-w-0 items-start gap-1 rounded-lg border border-line bg-sunken ps-3">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard */}
      <section tabIndex={0} aria-label={label} className="min-w-0 flex-1 py-2">
        <pre className="font-mono break-words whitespace-pre-wrap">
          <code>{text}</code>
        </pre>
      </section>
      <IconButton label={isCopied ? `${label}: copied` : `Copy ${label}`} onClick={copy}>
        {isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      </IconButton>
      <span role="status" className="sr-only">
        {isCopied ? "Copied" : ""}
      </span>
    </div>
  );
}

/**
 * Copies a text. Pages served over plain HTTP from another machine have no clipboard API, but can copy a selection.
 * The selected element is placed inside an open dialog, because the dialog traps the focus. @returns whether the text
 * was copied
 */
export async function writeClipboard(text: string): Promise<boolean> {
  const isDone = navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (await isDone) return true;
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  (document.querySelector("[role=dialog]") ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
