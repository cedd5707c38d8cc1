/** Where submissions go. `email` means neither a webhook nor a page handler: only the email action delivers them. */
export type Destination = "email" | "webhook" | "client" | "both";

const destinations: ReadonlyArray<{ value: Destination; name: string; line: string }> = [
  { value: "email", name: "Email me", line: "You get an email for each submission." },
  { value: "webhook", name: "Webhook", line: "Foyer sends each submission to your server." },
  { value: "client", name: "Your page", line: "A JavaScript function on your page receives it." },
  { value: "both", name: "Webhook and page", line: "Your server receives it first, then the function on your page." },
];

/** `value` is `null` for a form whose submissions are only stored. */
export function ModeChoice({
  value,
  onChange,
}: {
  value: Destination | null;
  onChange: (destination: Destination) => void;
}) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium">Deliver to</legend>
      <div className="grid overflow-hidden rounded-lg border border-line sm:grid-cols-2">
        {destinations.map((choice) => (
          <label
            key={choice.value}
            className="flex cursor-pointer items-start gap-3 border-line bg-raised p-4 not-first:border-t has-checked:bg-selected sm:even:border-s sm:nth-2:border-t-0"
          >
            <input
              type="radio"
              name="destination"
              className="mt-0.5 size-4 shrink-0 accent-ink"
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
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
