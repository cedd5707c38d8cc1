/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { IconButton } from "../panel/icon-button.tsx";
import { usePanel } from "../panel/panel-context.ts";

const FEEDBACK_MS = 2_000;

export function CopyButton({ text }: { text: () => string }): JSX.Element {
  const { core, messages } = usePanel();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => setIsCopied(await copyText(text(), core.shadow.frame));
  const label = isCopied ? messages.copied : messages.copy;
  return <IconButton name={isCopied ? "done" : "copy"} label={label} onClick={() => void copy()} />;
}

/** Pages on plain HTTP have no `navigator.clipboard`, but `execCommand` still works there. */
async function copyText(text: string, place: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.className = "visually-hidden";
    field.value = text;
    place.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}
