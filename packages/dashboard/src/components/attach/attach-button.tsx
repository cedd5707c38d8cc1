import { Paperclip } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "../button.tsx";
import type { Attaching } from "./use-attachments.ts";

const accept = "image/jpeg,image/png,image/gif,image/webp,.pdf,.docx,.txt,.csv";

/** Opens the file dialog. */
export function AttachButton({ attaching, className = "" }: { attaching: Attaching; className?: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label="Attach pictures or files" className={className} onClick={() => input.current?.click()}>
        <Paperclip size={16} aria-hidden />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={accept}
        aria-label="Attach pictures or files"
        onChange={({ currentTarget }) => {
          attaching.add([...(currentTarget.files ?? [])]);
          // Clears the field, so that the same file can be chosen again.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
