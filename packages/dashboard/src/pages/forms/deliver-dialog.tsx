import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";

/** Asks for confirmation before something is sent again. Nothing is lost, but a receiver gets it a second time. */
export function DeliverDialog(props: {
  title: string;
  action: string;
  isOpen: boolean;
  isBusy: boolean;
  onClose: () => void;
  onConfirm: () => void;
  children: ReactNode;
}) {
  const { title, action, isOpen, isBusy, onClose, onConfirm, children } = props;
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className="grid gap-2 text-soft">{children}</div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="main" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
