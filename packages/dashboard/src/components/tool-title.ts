/** A tool's name as people read it: `leave_message` is "Leave message". Models and the API keep the name itself. */
export function toolTitle(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}
