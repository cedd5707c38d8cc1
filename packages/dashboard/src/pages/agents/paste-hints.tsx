import { useState } from "react";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { pasteHints } from "./embed-line.ts";

/** Where to paste the script tag, by site builder. */
export function PasteHints() {
  const [id, setId] = useState<(typeof pasteHints)[number]["id"]>("html");
  const hint = pasteHints.find((hint) => hint.id === id) ?? pasteHints[0];
  return (
    <div className="grid gap-2">
      <SegmentedControl
        label="Your site is made with"
        value={id}
        onChange={setId}
        options={pasteHints.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <p className="max-w-[70ch] text-soft">{hint.text}</p>
    </div>
  );
}
