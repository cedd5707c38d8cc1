/** A value as formatted JSON, or a text unchanged. Long content scrolls. */
export function JsonBlock({ label, value }: { label: string; value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section aria-label={label} tabIndex={0} className="max-h-80 min-w-0 overflow-auto rounded-md bg-sunken p-2.5">
      <pre className="font-mono whitespace-pre-wrap">
        {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
      </pre>
    </section>
  );
}

/** A `JsonBlock` below its label. */
export function LabeledJson({ label, value }: { label: string; value: unknown }) {
  return (
    <div className="grid min-w-0 gap-1">
      <p className="text-sm text-soft">{label}</p>
      <JsonBlock label={label} value={value} />
    </div>
  );
}
