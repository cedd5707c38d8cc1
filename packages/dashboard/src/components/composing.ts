import type { KeyboardEvent } from "react";

/**
 * Whether the key belongs to an input method, such as the Enter that confirms a Japanese conversion. Safari ends the
 * composition before it sends that keydown event (WebKit bug 165004), so `isComposing` is false and only the key code
 * 229 identifies it.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}
