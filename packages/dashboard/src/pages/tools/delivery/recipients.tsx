import type { Member } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { useId } from "react";

/** The members who get a mail. Who is a member no longer has to be taken out before the form can be saved. */
export function Recipients({
  members,
  sendsMail,
  chosen,
  onChange,
  error,
}: {
  /** `null` until they are known. */
  members: readonly Member[] | null;
  /** Whether the server sends mails at all. */
  sendsMail: boolean;
  chosen: string[];
  onChange: (ids: string[]) => void;
  error: string | undefined;
}) {
  const id = useId();
  if (!members) return <div aria-hidden className="glow h-24 rounded-lg bg-sunken" />;
  const gone = chosen.filter((id) => !members.some((member) => member.id === id));
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((other) => other !== id));
  const rows = [
    ...members.map(({ id, name, email }) => ({ id, name: name || email, note: name ? email : "" })),
    ...gone.map((id) => ({ id, name: id, note: "no longer a member" })),
  ];
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="mb-1 font-medium">To</legend>
      <div className="max-h-60 overflow-y-auto rounded-lg border border-line">
        {rows.map((row) => (
          <label
            key={row.id}
            className="flex min-h-10 cursor-pointer items-center gap-3 border-line px-3 not-first:border-t"
          >
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-ink"
              aria-invalid={error ? true : undefined}
              checked={chosen.includes(row.id)}
              onChange={(event) => toggle(row.id, event.target.checked)}
            />
            <span className="min-w-0">
              {row.name} <span className="text-soft">{row.note}</span>
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p id={`${id}-error`} className="mt-1 text-sm text-wrong">
          {error}
        </p>
      )}
      {!sendsMail && (
        <p className="mt-2 text-warning">
          This server has no mail server, so nothing is mailed until one is set.{" "}
          <Link to="/settings/health" className="underline underline-offset-2">
            See what to do
          </Link>
        </p>
      )}
    </fieldset>
  );
}
