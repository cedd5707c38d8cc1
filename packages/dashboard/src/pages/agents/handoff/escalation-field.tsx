import { useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { IconButton } from "../../../components/button.tsx";
import { Select } from "../../../components/field.tsx";
import { endpointQuery } from "../../../data/queries.ts";

/** The members who are notified of a request, in order. */
export function EscalationField({
  value,
  onChange,
  error,
}: {
  /** User ids. */
  value: readonly string[];
  onChange: (userIds: string[]) => void;
  error: string | undefined;
}) {
  const members = useQuery(endpointQuery("listMembers")).data ?? [];
  const memberName = (id: string) => {
    const member = members.find((candidate) => candidate.id === id);
    return member ? member.name || member.email : "Former member";
  };
  const move = (at: number, by: number) => {
    const next = [...value];
    const [moved] = next.splice(at, 1);
    if (moved !== undefined) next.splice(at + by, 0, moved);
    onChange(next);
  };
  const others = members.filter(({ id }) => !value.includes(id));
  return (
    <div className="grid gap-3">
      {value.length === 0 ? (
        <p className="text-soft">Everyone is notified at the same time.</p>
      ) : (
        <ol aria-label="Order of notification" className="grid max-w-96">
          {value.map((id, at) => (
            <li key={id} className="flex min-h-10 items-center gap-1 border-b border-line">
              <span className="w-6 text-soft">{at + 1}.</span>
              <span className="min-w-0 flex-1 truncate">{memberName(id)}</span>
              <IconButton label={`Move ${memberName(id)} up`} disabled={at === 0} onClick={() => move(at, -1)}>
                <ArrowUp size={16} aria-hidden />
              </IconButton>
              <IconButton
                label={`Move ${memberName(id)} down`}
                disabled={at === value.length - 1}
                onClick={() => move(at, 1)}
              >
                <ArrowDown size={16} aria-hidden />
              </IconButton>
              <IconButton label={`Remove ${memberName(id)}`} onClick={() => onChange(value.toSpliced(at, 1))}>
                <X size={16} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ol>
      )}
      {others.length > 0 && (
        <Select
          label="Add a member"
          className="max-w-96"
          value=""
          onChange={(id) => id && onChange([...value, id])}
          options={[
            { value: "", label: "Choose a member" },
            ...others.map(({ id, name, email }) => ({ value: id, label: name || email })),
          ]}
          error={error}
        />
      )}
    </div>
  );
}
