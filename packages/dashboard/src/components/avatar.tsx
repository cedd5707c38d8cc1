/** The initials of a person. Hidden from screen readers, which read the name beside it, unless `label` is given. */
export function Avatar({ initials, label }: { initials: string; label?: string }) {
  return (
    <span
      {...(label ? { role: "img", "aria-label": label, title: label } : { "aria-hidden": true })}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-full border border-line bg-sunken text-xs font-medium"
    >
      {initials}
    </span>
  );
}
