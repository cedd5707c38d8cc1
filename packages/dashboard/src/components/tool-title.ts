/** A tool's name for people: `leave_message` becomes "Leave message". Models and the API use the name itself. */
export function toolTitle(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The name of a built-in tool, by the kind of its call. Null for the organization's own tools. */
export function builtInTitle(kind: string | null | undefined): string | null {
  if (kind === "handoff") return "Request a person";
  return kind === "documents" ? "Search documents" : null;
}
