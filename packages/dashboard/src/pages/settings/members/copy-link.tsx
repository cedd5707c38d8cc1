import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { writeClipboard } from "../../../components/copy-field.tsx";
import { notify } from "../../../data/toasts.ts";

/** Copies a URL that is too long to be shown in a row. */
export function CopyLink({ url, whose }: { url: string; whose: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await writeClipboard(url)))
      return notify("This browser blocked copying. Select the link and copy it yourself.", { isWrong: true });
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button variant="plain" onClick={copy} aria-label={`${isCopied ? "Copied: link" : "Copy link"} of ${whose}`}>
      {isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      <span role="status">{isCopied ? "Copied" : "Copy link"}</span>
    </Button>
  );
}
