import { withoutInvisible } from "@foyer/contract/rules/invisible-characters";

/** Line breaks and control characters, including NUL, which PostgreSQL cannot store. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Cleans a title that comes from a file name or a web page. May return an empty string. */
export function cleanTitle(title: string): string {
  return withoutInvisible(title).replace(CONTROLS, " ").trim().toWellFormed();
}
