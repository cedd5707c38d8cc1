import { Button } from "./button.tsx";

/** The section at the end of a page that deletes what the page shows. */
export function DeleteSection({
  title,
  description,
  action,
  onDelete,
}: {
  title: string;
  /** What else the deletion removes. */
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
      <Button variant="danger" onClick={onDelete}>
        {action}
      </Button>
    </section>
  );
}
