import { type ComponentProps, useLayoutEffect, useRef } from "react";

const growsByItself = () => CSS.supports("field-sizing", "content");

/**
 * A text area as tall as its text, between the `min-h-*` and `max-h-*` of its class. Browsers without `field-sizing` (Safari
 * before 26, Firefox) get the height from a measurement.
 */
export function GrowingTextarea({
  className = "",
  value,
  ref,
  ...rest
}: ComponentProps<"textarea"> & { value: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    if (area.current && !growsByItself()) fit(area.current);
  }, [value]);
  return (
    <textarea
      {...rest}
      value={value}
      ref={(element) => {
        area.current = element;
        if (typeof ref === "function") return ref(element);
        if (ref) ref.current = element;
      }}
      className={`field-sizing-content ${className}`}
    />
  );
}

function fit(area: HTMLTextAreaElement) {
  area.style.height = "auto";
  const borders = area.offsetHeight - area.clientHeight;
  area.style.height = `${area.scrollHeight + borders}px`;
}
