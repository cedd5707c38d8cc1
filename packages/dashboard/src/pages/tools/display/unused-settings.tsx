import { displayEditors } from "@foyer/contract/rules/display-editor";
import { describeDisplay, findUnusedSettings, listSlots } from "@foyer/contract/rules/display-types";
import { Button } from "../../../components/button.tsx";
import type { ToolDraft } from "../tool-draft.ts";

type Display = ToolDraft["displayConfig"];

/** Warns about slots and options that were saved through the API and that the display's type does not use. */
export function UnusedSettings({ display, change }: { display: Display; change: (part: Partial<Display>) => void }) {
  const unused = findUnused(display);
  const warnings = [
    ...unused.slots.map((name) => describeUnused(display, { kind: "slot", name, used: listSlots(display.type) })),
    ...unused.options.map((name) =>
      describeUnused(display, { kind: "option", name, used: describeDisplay(display.type).options }),
    ),
  ];
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Unused settings" className="grid justify-items-start gap-2 border-s-2 border-lamp px-4 py-1">
      <p className="font-medium">Some settings of this display have no effect</p>
      <ul className="grid gap-1 text-soft">
        {warnings.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <Button onClick={() => change(withoutUnused(display))}>Remove unused settings</Button>
    </section>
  );
}

function findUnused({ type, fieldMappings, options }: Display) {
  return findUnusedSettings({
    type,
    fieldMappings: Object.fromEntries(fieldMappings.map(({ slot, path }) => [slot, path])),
    options,
  });
}

function describeUnused(
  { type }: Display,
  { kind, name, used }: { kind: "slot" | "option"; name: string; used: readonly string[] },
): string {
  const names = new Intl.ListFormat("en").format(used);
  const available = used.length === 0 ? `It has no ${kind}s.` : `Its ${kind}s are ${names}.`;
  return `“${displayEditors[type].name}” has no ${kind} named ${name}. ${available}`;
}

/** The display with only the settings that its type uses. */
function withoutUnused(display: Display): Pick<Display, "fieldMappings" | "options"> {
  const unused = findUnused(display);
  const options = Object.entries(display.options).filter(([name]) => !unused.options.includes(name));
  return {
    fieldMappings: display.fieldMappings.filter(({ slot }) => !unused.slots.includes(slot)),
    options: Object.fromEntries(options),
  };
}
