import { useEffect, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Select } from "../../components/field.tsx";
import { csvAddress, type ExportKind, exportList, type Progress } from "./export-list.ts";
import type { ListQuery } from "./inbox-search.ts";
import { downloadFile, saveFile } from "./save-file.ts";

/** Exports the filtered conversations. The server writes CSV; the browser assembles the other formats. */
export function ExportDialog({ query, total, onClose }: { query: ListQuery; total: number; onClose: () => void }) {
  const [kind, setKind] = useState<FileKind>("csv");
  const { progress, failure, start, stop } = useExport(query, kind, onClose);
  const close = () => {
    stop();
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={close}
      title={`Export ${total.toLocaleString()} ${total === 1 ? "conversation" : "conversations"}`}
      description="The conversations that match the current search and filters, newest first."
    >
      <Select
        label="File"
        value={kind}
        onChange={setKind}
        disabled={progress !== null}
        options={[
          { value: "csv", label: "CSV: one row per conversation" },
          { value: "jsonl", label: "JSON Lines: one object per conversation" },
          { value: "jsonl-messages", label: "JSON Lines with all messages and tool calls (slower)" },
        ]}
      />
      {progress && (
        <div className="grid gap-1">
          <progress
            aria-label="Export"
            value={progress.done}
            max={Math.max(1, progress.total)}
            className="h-2 w-full accent-lamp"
          />
          <p className="text-sm text-soft">
            {progress.done.toLocaleString()} of {progress.total.toLocaleString()}
          </p>
        </div>
      )}
      {failure && (
        <p role="alert" className="text-wrong">
          {failure}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>{progress ? "Stop export" : "Cancel"}</Button>
        <Button variant="main" isBusy={progress !== null} onClick={start}>
          Export
        </Button>
      </div>
    </Dialog>
  );
}

type FileKind = ExportKind | "csv";

function useExport(query: ListQuery, kind: FileKind, onDone: () => void) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    if (kind === "csv") {
      downloadFile(csvAddress(query));
      return onDone();
    }
    const abort = new AbortController();
    running.current = abort;
    setFailure(null);
    setProgress({ done: 0, total: 0 });
    try {
      const parts = await exportList(query, kind, { onProgress: setProgress, signal: abort.signal });
      const day = new Date().toISOString().slice(0, 10);
      saveFile(`conversations-${day}.jsonl`, "application/jsonl", parts);
      onDone();
    } catch (error) {
      if (!abort.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setProgress(null);
    }
  };
  return { progress, failure, start, stop };
}
