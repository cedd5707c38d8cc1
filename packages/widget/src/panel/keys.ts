/**
 * Whether a key belongs to an input method, which uses Enter and Escape to accept or cancel a conversion. Safari ends
 * the composition before it sends that key (WebKit bug 165004); only the legacy key code 229 still shows it.
 */
export function isComposing({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === 229;
}

/**
 * Whether a key closes the list of a select or the picker of a date field. Firefox reports that key, but Chromium does
 * not. Browsers without `:open` throw on the selector.
 */
export function closesPicker({ target }: KeyboardEvent): boolean {
  try {
    return (target as Element).matches("select:open, input:open");
  } catch {
    return false;
  }
}
