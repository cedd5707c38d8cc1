import { useTrashDays } from "../data/trash.ts";
import { pluralize } from "./plural.ts";

/** Says in a dialog whether a deletion can be undone. */
export function TrashNote({ isPlural = false }: { isPlural?: boolean }) {
  const days = useTrashDays();
  // Keeps its height until the days are known.
  if (days === undefined) return <p aria-hidden>&nbsp;</p>;
  if (days === 0) return <p>This cannot be undone.</p>;
  return (
    <p>
      You can restore {isPlural ? "them" : "it"} from the trash for {pluralize(days, "day")}.
    </p>
  );
}
