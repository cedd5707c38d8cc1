import type { PromptSize, TraceStep } from "@foyer/contract";

const parts: ReadonlyArray<{ name: keyof PromptSize; label: string }> = [
  { name: "instructions", label: "Instructions" },
  { name: "documents", label: "Documents" },
  { name: "tools", label: "Tools" },
  { name: "history", label: "Conversation" },
];

/** What the prompt of the reply's last step consisted of. It contains those of the steps before. */
export function PromptParts({ steps }: { steps: readonly TraceStep[] }) {
  const size = steps.findLast(({ name, promptSize }) => name === "reply" && promptSize)?.promptSize;
  if (!size) return null;
  const whole = Math.max(
    parts.reduce((sum, { name }) => sum + size[name], 0),
    1,
  );
  return (
    <table className="w-full table-fixed border-collapse text-sm">
      <caption className="pb-1 text-start font-medium">Prompt of the last step, in characters</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Share</th>
          <th scope="col">Characters</th>
        </tr>
      </thead>
      <tbody>
        {parts.map(({ name, label }) => (
          <tr key={name}>
            <th scope="row" className="w-[34%] min-w-24 py-0.5 pe-1 text-start font-normal">
              {label}
            </th>
            <td className="py-0.5 pe-3">
              <span className="sr-only">{Math.round((size[name] / whole) * 100)}%</span>
              <div aria-hidden className="h-2 rounded-[2px] bg-sunken">
                <div
                  data-fill
                  className="h-full rounded-[2px] bg-ink/85"
                  style={{ width: `${(size[name] / whole) * 100}%` }}
                />
              </div>
            </td>
            <td className="w-[18%] py-0.5 text-end tabular-nums">{size[name].toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
