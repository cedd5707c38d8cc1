import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { TextField } from "./field.tsx";

const overlay = "fixed inset-0 z-40 bg-[#1c191766] dark:bg-[#000000aa]";

/** A modal in the middle of the page, or along its side (`isSide`) for what needs room. Escape and a click outside close it. */
export function Dialog({
  title,
  description,
  isOpen,
  onClose,
  isSide = false,
  children,
}: {
  title: string;
  description?: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  isSide?: boolean;
  children: ReactNode;
}) {
  const place = isSide
    ? "inset-y-0 end-0 w-full max-w-xl border-s"
    : "inset-x-4 top-[12vh] mx-auto max-h-[80vh] max-w-lg rounded-lg border";
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Radix.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={focusFirstField}
          className={`appear fixed z-40 flex flex-col overflow-y-auto border-line bg-paper ${place}`}
        >
          <header className="sticky top-0 z-10 flex items-start gap-4 bg-paper px-6 pt-5 pb-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lg">{title}</Radix.Title>
              {description && <Radix.Description className="mt-1 text-soft">{description}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close" className="-me-2 -mt-1.5">
                <X size={18} aria-hidden />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="grid gap-4 px-6 pt-1 pb-6">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Not the button that closes it. Back at the end goes the focus to where it was before, which `autoFocus` would lose. */
function focusFirstField(event: Event) {
  const field = (event.currentTarget as HTMLElement).querySelector<HTMLElement>("input, select, textarea");
  if (!field) return;
  event.preventDefault();
  field.focus();
}

/** As a page shows a text: however many spaces there are, one is seen. */
const words = (text: string) => text.trim().replace(/\s+/g, " ");

/** Asks before something is destroyed. With `typed`, that word has to be written first. `action` names what it destroys: "Delete Harbour". */
export function ConfirmDialog({
  title,
  children,
  action,
  typed,
  isOpen,
  isBusy = false,
  onClose,
  onConfirm,
}: {
  title: string;
  children: ReactNode;
  action: string;
  typed?: string;
  isOpen: boolean;
  isBusy?: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const [text, setText] = useState("");
  const isAllowed = typed === undefined || words(text) === words(typed);
  const close = () => {
    setText("");
    onClose();
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          // Else it would count as sent for a form around the dialog, too.
          event.stopPropagation();
          if (isAllowed) onConfirm();
        }}
      >
        <div className="grid gap-2 text-soft">{children}</div>
        {typed !== undefined && (
          <TextField label={`Write ${typed} to go on`} value={text} onChange={setText} autoComplete="off" />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" look="danger" disabled={!isAllowed} isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
