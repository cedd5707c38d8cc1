/** A tool's name for people: `leave_message` becomes "Leave message". Models and the API use the name itself. */
export function toolTitle(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}
