import { documentFormatList } from "@foyer/contract/rules/document-formats";
import { Upload } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { UploadList } from "./upload-list.tsx";
import type { useUploads } from "./use-uploads.ts";

/** Accepts files that are dropped anywhere on the page. `input` is the file input that a button opens. */
export function DropArea({
  uploads,
  input,
}: {
  uploads: ReturnType<typeof useUploads>;
  input: RefObject<HTMLInputElement | null>;
}) {
  const isOver = useDroppedFiles(uploads.upload);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        aria-label="Files to upload"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          uploads.upload([...(event.target.files ?? [])]);
          // Clears the input. Otherwise choosing the same file again would not fire a change event.
          event.target.value = "";
        }}
      />
      {isOver && <DropTarget />}
      <UploadList uploads={uploads} />
    </>
  );
}

/** Covers the page while files are dragged over it. It lets the pointer through, so that dragging does not flicker. */
function DropTarget() {
  return (
    <div className="pointer-events-none fixed inset-0 z-50 grid place-items-center bg-paper/95 p-4">
      <div className="grid size-full place-content-center justify-items-center gap-2 rounded-lg border-2 border-dashed border-ink px-6 text-center">
        <Upload size={24} aria-hidden />
        <p className="text-lg">Drop files to upload them</p>
        <p className="text-soft">{documentFormatList}</p>
      </div>
    </div>
  );
}

/** Calls `onFiles` for files that are dropped anywhere in the window. @returns whether files are over it */
function useDroppedFiles(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    const handleDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      // Without this the browser would open the file in place of the page.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // `relatedTarget` is null only when the pointer leaves the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      latest.current([...event.dataTransfer.files]);
    };
    window.addEventListener("dragover", handleDragOver);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", handleDragOver);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
