import { parseEmail } from "../config-values.ts";
import { invalid } from "../errors.ts";

/** Trims an email address and converts it to lower case. @throws 400 for anything else */
export function readEmailAddress(path: string, value: string): string {
  try {
    return parseEmail(value.trim());
  } catch {
    throw invalid(path, "must be an email address such as you@example.com", "format");
  }
}
