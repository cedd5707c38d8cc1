/** The name by which the model called a tool, where its readable title is shown above. */
export function CalledAs({ name }: { name: string }) {
  return (
    <p className="text-sm text-soft">
      Called as <code>{name}</code>
    </p>
  );
}
