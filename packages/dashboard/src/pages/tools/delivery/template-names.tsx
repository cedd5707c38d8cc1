/** Buttons that append a placeholder for a field's value to a text. */
export function TemplateNames({ names, onChoose }: { names: string[]; onChoose: (name: string) => void }) {
  return (
    <div className="-mt-2 flex flex-wrap items-center gap-2 text-sm text-soft">
      <span>Insert:</span>
      {[...new Set(names)].map((name) => (
        <button
          key={name}
          type="button"
          className="min-h-6 rounded-md border border-edge px-1.5 font-mono text-ink hover:bg-hover"
          onClick={() => onChoose(name)}
        >
          {`{{${name}}}`}
        </button>
      ))}
    </div>
  );
}
