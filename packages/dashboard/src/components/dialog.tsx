import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { TextField } from "./field.tsx";
import { useReturnFocus } from "./use-return-focus.ts";

export const overlay = "fixed inset-0 z-40 bg-[#1c191766] dark:bg-[#000000aa]";

/**
 * A modal dialog in the center of the page, or along its side (`isSide`) for long content. Escape and a click outside
 * close it.
 */
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
  const returnFocus = useReturnFocus(isOpen);
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
          onCloseAutoFocus={returnFocus}
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

/** Radix would focus the Close button, because it comes first. */
function focusFirstField(event: Event) {
  const field = (event.currentTarget as HTMLElement).querySelector<HTMLElement>("input, select, textarea");
  if (!field) return;
  event.preventDefault();
  field.focus();
}

/** Browsers collapse white space, so a name with two consecutive spaces is typed with one. */
const collapseSpaces = (text: string) => text.trim().replace(/\s+/g, " ");

/**
 * Asks for confirmation of a destructive action. `action` names what is destroyed, such as "Delete Harbour". With
 * `typed`, the user has to type that text first.
 */
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
  const isAllowed = typed === undefined || collapseSpaces(text) === collapseSpaces(typed);
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
          // React propagates the event to a form around the dialog, which would be submitted as well.
          event.stopPropagation();
          if (isAllowed) onConfirm();
        }}
      >
        <div className="grid gap-2 text-soft">{children}</div>
        {typed !== undefined && (
          <TextField label={`Type "${typed}" to confirm`} value={text} onChange={setText} autoComplete="off" />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="danger" disabled={!isAllowed} isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
