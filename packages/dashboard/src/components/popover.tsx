import { type ReactElement, type ReactNode, useEffect, useEffectEvent, useRef } from "react";

/**
 * Opens a panel over the content below its trigger, so that nothing moves. Escape closes the panel and returns the
 * focus to the trigger. A press or a focus elsewhere closes it as well. The nearest positioned ancestor sets its width.
 */
export function Popover({
  trigger,
  isOpen,
  onClose,
  label,
  children,
}: {
  trigger: ReactElement;
  isOpen: boolean;
  onClose: () => void;
  /** The accessible name of the panel. */
  label: string;
  children: ReactNode;
}) {
  const root = useRef<HTMLDivElement>(null);
  const closeOutside = useEffectEvent((event: PointerEvent) => {
    if (event.target instanceof Node && !root.current?.contains(event.target)) onClose();
  });
  useEffect(() => {
    if (!isOpen) return;
    const onPointerDown = (event: PointerEvent) => closeOutside(event);
    document.addEventListener("pointerdown", onPointerDown);
    return () => document.removeEventListener("pointerdown", onPointerDown);
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only handles what its controls do not
    <div
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        onClose();
        root.current?.querySelector("button")?.focus();
      }}
      onBlur={({ relatedTarget }) => {
        if (isOpen && relatedTarget && !root.current?.contains(relatedTarget)) onClose();
      }}
    >
      {trigger}
      {isOpen && (
        <section
          aria-label={label}
          className="appear absolute inset-x-0 top-full z-30 mt-1 max-h-[70vh] overflow-y-auto rounded-lg border border-rim bg-raised"
        >
          {children}
        </section>
      )}
    </div>
  );
}
