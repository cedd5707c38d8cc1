import { Button } from "../../components/button.tsx";
import { useAway } from "../../data/use-away.ts";

/** Shows members who are away that they get no new conversations. */
export function AwayNote() {
  const [isAway, setAway] = useAway();
  return (
    <div role="status" className="flex items-center gap-3 bg-sunken py-1 ps-4 pe-2 text-sm empty:hidden xl:ps-8">
      {isAway && (
        <>
          <p className="min-w-0 flex-1">You are away. New conversations are assigned to your colleagues.</p>
          <Button variant="plain" onClick={() => setAway(false)}>
            I’m back
          </Button>
        </>
      )}
    </div>
  );
}
