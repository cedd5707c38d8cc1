import type { FormEvent, ReactNode, RefObject } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

type Form = {
  form: RefObject<HTMLFormElement | null>;
  isBusy: boolean;
  problem: string | undefined;
  onSubmit: (event: FormEvent) => unknown;
};

/** A dialog with a form, submitted with Enter or the button. It is open while it is mounted. */
export function FormDialog({
  title,
  description,
  action,
  form,
  onClose,
  besideAction,
  isSide = false,
  children,
}: {
  title: string;
  description?: ReactNode;
  action: string;
  form: Form;
  onClose: () => void;
  /** A second action on the fields. */
  besideAction?: ReactNode;
  /** For long forms: the dialog takes the side of the page. */
  isSide?: boolean;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} description={description} isOpen onClose={onClose} isSide={isSide}>
      <form ref={form.form} noValidate className="grid gap-4" onSubmit={form.onSubmit}>
        {children}
        {form.problem && (
          <p role="alert" className="border-s-2 border-wrong ps-3">
            {form.problem}
          </p>
        )}
        <div className="flex flex-wrap items-center justify-end gap-2 pt-1">
          {besideAction && <div className="me-auto">{besideAction}</div>}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="main" isBusy={form.isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
