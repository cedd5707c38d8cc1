/** Flags at the beginning of a pattern, as other engines have them. */
export const inlineFlags = /^(\^?)\(\?([ims]+)\)/;

/**
 * Compiles the pattern of a form field as browsers and the server run it: a JavaScript regular expression, with whole
 * code points if the pattern allows it. Inline flags at the beginning, as in `(?i)abc`, become flags of the expression.
 * @throws SyntaxError
 */
export function compileRegExp(pattern: string): RegExp {
  let flags = "";
  const source = pattern.replace(inlineFlags, (_, anchor, found) => {
    flags = found;
    return anchor;
  });
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return new RegExp(source, flags);
  }
}
