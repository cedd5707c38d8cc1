import type { ContentChange } from "@foyer/contract/rules/compare-contents";
import { describePlace, describeValue } from "./change-labels.ts";
import { type DiffPart, diffLines, withoutDistantLines } from "./text-diff.ts";

/** The changes of an agent, its tools and its triggers, each with the old and the new value. */
export function ChangeList({ changes, label = "Changes" }: { changes: readonly ContentChange[]; label?: string }) {
  return (
    <ul aria-label={label} className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {changes.map((change) => (
        <li key={change.path} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
          <Change change={change} />
        </li>
      ))}
    </ul>
  );
}

function Change({ change }: { change: ContentChange }) {
  const { subject, setting } = describePlace(change);
  const { from, to } = change;
  if (setting === null) {
    return (
      <p>
        <span className="font-medium">{subject}</span> <span className="text-soft">{from ? "deleted" : "created"}</span>
      </p>
    );
  }
  if (change.path.startsWith("agent.images.")) {
    const outcome = from === null ? "added" : to === null ? "removed" : "replaced";
    return <Heading subject={subject} setting={`${setting} ${outcome}`} />;
  }
  return (
    <>
      <Heading subject={subject} setting={setting} />
      <Values from={describeValue(from)} to={describeValue(to)} />
    </>
  );
}

function Heading({ subject, setting }: { subject: string; setting: string }) {
  return (
    <p>
      <span className="text-soft">{subject}:</span> <span className="font-medium">{setting}</span>
    </p>
  );
}

const notSet = "Not set";

function Values({ from, to }: { from: string | null; to: string | null }) {
  const parts: Array<DiffPart | null> =
    from === null || to === null
      ? [
          { kind: "removed", lines: [from ?? notSet] },
          { kind: "added", lines: [to ?? notSet] },
        ]
      : withoutDistantLines(diffLines(from, to));
  return (
    <div className="overflow-hidden rounded-md border border-line bg-raised py-1">
      {parts.map((part, index) =>
        part === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no names
          <p key={index} className="px-3 text-soft">
            <span aria-hidden>⋯</span>
            <span className="sr-only">Unchanged lines</span>
          </p>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no names
          <Part key={index} part={part} />
        ),
      )}
    </div>
  );
}

function Part({ part: { kind, lines } }: { part: DiffPart }) {
  const text = lines.join("\n");
  if (kind === "same") return <p className={`${line} text-soft`}>{text}</p>;
  const Tag = kind === "removed" ? "del" : "ins";
  return (
    <Tag className={`${line} relative no-underline ${kind === "removed" ? "text-soft" : "bg-selected"}`}>
      <span aria-hidden className="absolute start-2">
        {kind === "removed" ? "−" : "+"}
      </span>
      <span className="sr-only">{kind === "removed" ? "Before: " : "After: "}</span>
      {kind === "removed" && text !== notSet ? <s>{text}</s> : text}
    </Tag>
  );
}

const line = "block ps-6 pe-3 whitespace-pre-wrap wrap-anywhere";
