import { Button } from "./button.tsx";

/** Where a page offers to delete what it shows: at its foot, after everything else. */
export function DeleteSection({
  title,
  description,
  action,
  onDelete,
}: {
  title: string;
  /** What else is deleted with it. */
  description: string;
  /** Names what is deleted: "Delete Harbour". */
  action: string;
  onDelete: () => void;
}) {
  return (
    <section className="mt-10 flex flex-wrap items-center gap-x-6 gap-y-3 border-t border-line pt-6">
      <div className="min-w-0 flex-1 basis-64">
        <h2 className="text-lg">{title}</h2>
        <p className="mt-1 max-w-[70ch] text-soft">{description}</p>
      </div>
      <Button look="danger" onClick={onDelete}>
        {action}
      </Button>
    </section>
  );
}
