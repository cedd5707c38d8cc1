import { findNameProblem } from "@foyer/contract/rules/plain-name";
import { invalid } from "../errors.ts";

/** Trims the name of a person or an organization. @throws 400 for a URL, a line break or more than 60 characters */
export function readPlainName(path: string, value: string): string {
  const name = value.trim();
  const problem = findNameProblem(name);
  if (problem !== null) throw invalid(path, problem);
  return name;
}
