import { type DragEvent, type ReactNode, type RefObject, useState } from "react";
import { Button } from "../../components/button.tsx";
import type { useUploads } from "./use-uploads.ts";

/** Everything inside takes dropped files; `input` is the file chooser that a button opens. */
export function DropArea({
  uploads,
  input,
  children,
}: {
  uploads: ReturnType<typeof useUploads>;
  input: RefObject<HTMLInputElement | null>;
  children: ReactNode;
}) {
  const [isOver, setOver] = useState(false);
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes("Files");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the file chooser is the accessible one
    <div
      className={`rounded-lg ${isOver ? "outline-2 outline-offset-8 outline-ink outline-dashed" : ""}`}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        void uploads.upload([...event.dataTransfer.files]);
      }}
    >
      <input
        ref={input}
        type="file"
        multiple
        aria-label="Files to upload"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          void uploads.upload([...(event.target.files ?? [])]);
          // Otherwise choosing the same file again would not be noticed.
          event.target.value = "";
        }}
      />
      <UploadNotes uploads={uploads} />
      {children}
    </div>
  );
}

function UploadNotes({ uploads: { remaining, refused, dismiss } }: { uploads: ReturnType<typeof useUploads> }) {
  return (
    <>
      {remaining.length > 0 && (
        <p role="status" className="mb-4 text-soft">
          Uploading {remaining[0]}
          {remaining.length > 1 && `, ${remaining.length - 1} more to go`}
        </p>
      )}
      {refused.length > 0 && (
        <div role="alert" className="mb-6 flex flex-wrap items-start gap-4 border-s-2 border-wrong ps-4">
          <ul className="grid min-w-0 flex-1 gap-1">
            {refused.map(({ name, reason }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows at its end
              <li key={index} className="break-words">
                <span className="font-medium">{name} was not uploaded.</span>{" "}
                <span className="text-soft">{reason}</span>
              </li>
            ))}
          </ul>
          <Button onClick={dismiss}>Dismiss</Button>
        </div>
      )}
    </>
  );
}
