import { FileText, X } from "lucide-react";
import { Button, IconButton } from "../button.tsx";
import { formatBytes } from "../submitted-answers.ts";
import type { Attaching, AttachmentDraft } from "./use-attachments.ts";

/** What is attached to the next message, with its uploads. */
export function DraftList({ attaching }: { attaching: Attaching }) {
  if (attaching.drafts.length === 0) return null;
  return (
    <ul aria-label="Attachments" className="grid gap-1">
      {attaching.drafts.map((draft) => (
        <DraftItem key={draft.key} draft={draft} attaching={attaching} />
      ))}
    </ul>
  );
}

function DraftItem({ draft, attaching }: { draft: AttachmentDraft; attaching: Attaching }) {
  const { name, preview, problem, attachment } = draft;
  return (
    <li className="flex items-center gap-2 rounded-lg border border-line bg-raised p-1">
      {preview ? (
        <img src={preview} alt="" className="size-9 shrink-0 rounded object-cover" />
      ) : (
        <span className="grid size-9 shrink-0 place-items-center rounded bg-sunken text-soft">
          <FileText size={16} aria-hidden />
        </span>
      )}
      <div className="min-w-0 flex-1 text-sm">
        <bdi className="block truncate">{name}</bdi>
        {problem ? (
          <p role="alert" className="text-wrong">
            {problem}
          </p>
        ) : (
          <p className="text-soft">{attachment ? formatBytes(attachment.size) : "Uploading…"}</p>
        )}
      </div>
      {problem && <Button onClick={() => attaching.retry(draft)}>Try again</Button>}
      <IconButton label={`Remove ${name}`} onClick={() => attaching.remove(draft.key)}>
        <X size={16} aria-hidden />
      </IconButton>
    </li>
  );
}
