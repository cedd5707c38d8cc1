import { useId, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { serverPath } from "../../data/server-address.ts";
import { type MaxSize, shrinkImage } from "./shrink-image.ts";

/** An image upload. The value is the path of the saved image, a data URL for a new image, or null. */
export function ImageField({
  label,
  help,
  value,
  maxSize,
  isRound = false,
  onChange,
}: {
  label: string;
  help: string;
  value: string | null;
  maxSize: MaxSize;
  isRound?: boolean;
  onChange: (image: string | null) => void;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string | null>(null);
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const image = await shrinkImage(file, maxSize);
    setError(image === null ? `${file.name} can't be read as an image. Choose a PNG, JPEG, WebP or SVG file.` : null);
    if (image !== null) onChange(image);
  };
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label} <span className="font-normal text-soft">(optional)</span>
      </label>
      <div className="flex flex-wrap items-center gap-2">
        {value && (
          <img
            src={value.startsWith("/") ? serverPath(value) : value}
            alt=""
            className={`h-10 border border-line bg-sunken ${isRound ? "w-10 rounded-full object-cover" : "max-w-40 rounded-md object-contain"}`}
          />
        )}
        <input
          ref={input}
          id={id}
          type="file"
          accept="image/*"
          tabIndex={-1}
          aria-describedby={`${id}-help`}
          className="sr-only"
          onChange={(event) => {
            void choose(event.target.files?.[0]);
            // Clears the input. Otherwise choosing the same file again would not fire a change event.
            event.target.value = "";
          }}
        />
        <Button
          aria-label={value ? `Replace ${label.toLowerCase()}` : undefined}
          onClick={() => input.current?.click()}
        >
          {value ? "Replace" : "Choose image"}
        </Button>
        {value && (
          <Button variant="plain" aria-label={`Remove ${label.toLowerCase()}`} onClick={() => onChange(null)}>
            Remove
          </Button>
        )}
      </div>
      {error && (
        <p role="alert" className="text-sm text-wrong">
          {error}
        </p>
      )}
      <p id={`${id}-help`} className="text-sm text-soft">
        {help}
      </p>
    </div>
  );
}
