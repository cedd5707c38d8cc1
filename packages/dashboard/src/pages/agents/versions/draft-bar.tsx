import type { Agent } from "@foyer/contract";
import { useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { pluralize } from "../../../components/plural.ts";
import { ReviewDraft } from "./review-draft.tsx";
import { useDraftChanges } from "./use-draft-changes.ts";

/** Pages that show what visitors did, and not how the agent is set up. */
const usage = /^\/agents\/[^/]+\/(conversations|forms|analytics)(\/|$)/;

/** Says above the pages that edit an agent that its draft waits to be published. */
export function DraftBar({ agent }: { agent: Agent }) {
  const isUsage = useRouterState({ select: ({ location }) => usage.test(location.pathname) });
  const changes = useDraftChanges(agent);
  const [isOpen, setOpen] = useState(false);
  if (isUsage || changes.length === 0) return null;
  return (
    <section aria-label="Draft" className="border-b border-line bg-raised">
      <div className="mx-auto flex w-full max-w-[1264px] flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 sm:px-8">
        <p className="min-w-0 flex-1 basis-56">
          <span className="font-medium">Draft: {pluralize(changes.length, "change")}.</span>{" "}
          <span className="text-soft">Visitors get version {agent.liveVersion}.</span>
        </p>
        <Button onClick={() => setOpen(true)}>Review and publish</Button>
      </div>
      {isOpen && <ReviewDraft agent={agent} changes={changes} onClose={() => setOpen(false)} />}
    </section>
  );
}
