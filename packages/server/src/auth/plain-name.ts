import { plainNameProblem } from "@foyer/contract/rules/plain-name";
import { invalid } from "../errors.ts";

/** The name of a person or an organization, trimmed. @throws 400 for a web address, a line break or 61 characters */
export function readPlainName(path: string, value: string): string {
  const name = value.trim();
  const problem = plainNameProblem(name);
  if (problem !== null) throw invalid(path, problem);
  return name;
}
