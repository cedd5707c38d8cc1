import { X } from "lucide-react";
import { Button, IconButton } from "../../components/button.tsx";
import { formatPercent } from "../../components/day-text.ts";
import type { Upload, useUploads } from "./use-uploads.ts";

/** Files that are being uploaded or that failed, each with its progress or error. */
export function UploadList({ uploads: { uploads, retry, dismiss } }: { uploads: ReturnType<typeof useUploads> }) {
  if (uploads.length === 0) return null;
  const failed = uploads.filter(({ state }) => state === "failed").length;
  const remaining = uploads.length - failed;
  return (
    <section aria-label="Uploads" className="mb-6 grid gap-2 rounded-lg border border-line px-4 py-3">
      <p role="status" className="text-sm text-soft">
        {[remaining > 0 && `Uploading ${formatCount(remaining)}`, failed > 0 && `${formatCount(failed)} failed`]
          .filter(Boolean)
          .join(", ")}
      </p>
      <ul className="grid max-h-80 overflow-y-auto">
        {uploads.map((upload) => (
          <Row key={upload.id} upload={upload} onRetry={() => retry(upload)} onDismiss={() => dismiss(upload.id)} />
        ))}
      </ul>
    </section>
  );
}

const formatCount = (count: number) => (count === 1 ? "1 file" : `${count} files`);

function Row({ upload, onRetry, onDismiss }: { upload: Upload; onRetry: () => void; onDismiss: () => void }) {
  const { file, state, share, reason } = upload;
  if (state === "failed") {
    return (
      <li className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 py-1">
        <p role="alert" className="min-w-0 flex-1 basis-60 break-words">
          <span className="font-medium">{file.name} was not uploaded.</span> <span className="text-soft">{reason}</span>
        </p>
        {file.size > 0 && (
          <Button onClick={onRetry} aria-label={`Try again: ${file.name}`}>
            Try again
          </Button>
        )}
        <IconButton label={`Dismiss ${file.name}`} onClick={onDismiss}>
          <X size={16} aria-hidden />
        </IconButton>
      </li>
    );
  }
  const percent = Math.round(share * 100);
  return (
    <li className="flex min-h-10 items-center gap-3 py-1">
      <span className="min-w-0 flex-1 truncate">{file.name}</span>
      <progress
        aria-label={`Upload of ${file.name}`}
        max="100"
        value={percent}
        className="h-1.5 w-24 shrink-0 appearance-none overflow-hidden rounded-full bg-line sm:w-40 [&::-moz-progress-bar]:bg-lamp [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-lamp"
      />
      <span className="w-16 shrink-0 text-end text-sm text-soft tabular-nums">
        {state === "waiting" ? "Waiting" : percent < 100 ? formatPercent(percent) : "Storing"}
      </span>
    </li>
  );
}
