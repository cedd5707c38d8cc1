import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet } from "@tanstack/react-router";
import { endpointQuery } from "../../../data/queries.ts";
import { DraftBar } from "./draft-bar.tsx";
import { EditConflictDialog } from "./edit-conflict-dialog.tsx";

const route = getRouteApi("/shell/agents/$agentId");

/** What all pages of an agent share: the line about its draft, and the question when two members edit at once. */
export function AgentFrame() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  return (
    <>
      <DraftBar key={agentId} agent={agent} />
      <Outlet />
      <EditConflictDialog />
    </>
  );
}
