import type { Tool } from "@foyer/contract";

type Mode = NonNullable<Tool["formExecutionMode"]>;

const modes: Array<{ mode: Mode; name: string; line: string }> = [
  { mode: "webhook", name: "Webhook", line: "Foyer’s server sends them to an address of yours." },
  { mode: "client", name: "Your page", line: "A function of the page that shows the chat gets them." },
  { mode: "both", name: "Both", line: "The webhook first, then the page." },
];

/** Who gets the answers of a form. */
export function ModeChoice({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium">Delivered to</legend>
      <div className="grid overflow-hidden rounded-lg border border-line sm:grid-cols-3">
        {modes.map((choice) => (
          <label
            key={choice.mode}
            className="flex cursor-pointer items-start gap-3 border-line bg-raised p-4 not-first:border-t has-checked:bg-sunken sm:not-first:border-s sm:not-first:border-t-0"
          >
            <input
              type="radio"
              name="mode"
              className="mt-0.5 size-4 shrink-0 accent-ink"
              checked={mode === choice.mode}
              onChange={() => onChange(choice.mode)}
            />
            <span className="grid">
              <span className="font-medium">{choice.name}</span>
              <span className="text-sm text-soft">{choice.line}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
