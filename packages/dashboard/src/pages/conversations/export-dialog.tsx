import { useEffect, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Select } from "../../components/field.tsx";
import { type ExportKind, exportList, type Progress } from "./export-list.ts";
import type { ListQuery } from "./inbox-search.ts";
import { saveFile } from "./save-file.ts";

/** Writes what the filters show into a file, here in the browser; can be stopped while it goes on. */
export function ExportDialog({ query, total, onClose }: { query: ListQuery; total: number; onClose: () => void }) {
  const [kind, setKind] = useState<ExportKind>("csv");
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
      description="What the search and the filters show now, newest first."
    >
      <Select
        label="File"
        value={kind}
        onChange={setKind}
        disabled={progress !== null}
        options={[
          { value: "csv", label: "CSV: a line for each conversation" },
          { value: "jsonl", label: "JSON lines: an object for each conversation" },
          { value: "jsonl-messages", label: "JSON lines with all messages and tool calls (slower)" },
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
        <Button onClick={close}>{progress ? "Stop the export" : "Cancel"}</Button>
        <Button look="main" isBusy={progress !== null} onClick={start}>
          Export
        </Button>
      </div>
    </Dialog>
  );
}

function useExport(query: ListQuery, kind: ExportKind, onDone: () => void) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const abort = new AbortController();
    running.current = abort;
    setFailure(null);
    setProgress({ done: 0, total: 0 });
    try {
      const parts = await exportList(query, kind, setProgress, abort.signal);
      const day = new Date().toISOString().slice(0, 10);
      if (kind === "csv") saveFile(`conversations-${day}.csv`, "text/csv", parts);
      else saveFile(`conversations-${day}.jsonl`, "application/jsonl", parts);
      onDone();
    } catch (error) {
      if (!abort.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setProgress(null);
    }
  };
  return { progress, failure, start, stop };
}
