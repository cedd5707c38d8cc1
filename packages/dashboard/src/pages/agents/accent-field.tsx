import { chooseReadableColor, contrastRatio, isColor, LAMP } from "@foyer/contract/rules/accent-contrast";
import { useId } from "react";
import { Button } from "../../components/button.tsx";

/** The color of the launcher and of the visitor's messages, with its contrast ratio next to it. */
export function AccentField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (color: string) => void;
  error: string | undefined;
}) {
  const id = useId();
  const color = isColor(value.trim()) ? value.trim() : LAMP;
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        Accent color
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          type="color"
          aria-label="Choose the accent color"
          value={color.toLowerCase()}
          onChange={(event) => onChange(event.target.value)}
          className="h-9 w-12 cursor-pointer rounded-lg border border-edge bg-raised p-1 pointer-coarse:h-11"
        />
        <input
          id={id}
          value={value}
          spellCheck={false}
          placeholder={LAMP}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-help${error ? ` ${id}-error` : ""}`}
          onChange={(event) => onChange(event.target.value)}
          className="min-h-9 w-32 rounded-lg border border-edge bg-raised px-3 py-1.5 font-mono aria-invalid:border-wrong pointer-coarse:min-h-11"
        />
        {value !== "" && (
          <Button variant="plain" onClick={() => onChange("")}>
            Reset to amber
          </Button>
        )}
      </div>
      {error && (
        <p id={`${id}-error`} className="text-sm text-wrong">
          {error}
        </p>
      )}
      <div id={`${id}-help`} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
        <Contrast color={color} />
      </div>
    </div>
  );
}

const textNames: Record<string, string> = { "#1c1917": "dark", "#ffffff": "white", "#000000": "black" };

function Contrast({ color }: { color: string }) {
  const text = chooseReadableColor(color);
  const onWhite = contrastRatio(color, "#ffffff");
  return (
    <>
      <span className="rounded-md px-1.5 font-medium" style={{ background: color, color: text }}>
        Aa
      </span>
      <span>
        Contrast {contrastRatio(color, text).toFixed(1)}:1, {textNames[text] ?? text} text
      </span>
      {onWhite < 1.5 && <span>The launcher is hard to see on a white page.</span>}
    </>
  );
}
