import type { Tool } from "@foyer/contract";

/** The settings of a saved tool that cannot work as they are. */
export function WarningNote({ warnings }: Pick<Tool, "warnings">) {
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings" className="mb-6 border-s-2 border-lamp px-4 py-1">
      <p className="font-medium">{warnings.length === 1 ? "This tool has a problem" : "This tool has problems"}</p>
      <ul className="text-soft">
        {warnings.map(({ path, message }) => (
          <li key={`${path} ${message}`}>{message}</li>
        ))}
      </ul>
    </section>
  );
}
