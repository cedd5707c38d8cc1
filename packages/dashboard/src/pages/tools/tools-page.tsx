import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { Page } from "../../components/page.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { KindList } from "./kind-list.tsx";
import { kindNames, toolKinds } from "./tool-kinds.tsx";
import { ToolTable } from "./tool-table.tsx";

const route = getRouteApi("/shell/agents/$agentId/tools");

/** An agent's tools, their errors, and how to create one. */
export function ToolsPage() {
  const { agentId } = route.useParams();
  const { data: tools } = useSuspenseQuery(endpointQuery("listTools", { agentId }));
  const { data: limits } = useQuery(endpointQuery("getToolLimits", { agentId }));
  const isFull = limits?.canCreate === false;
  return (
    <Page
      isWide
      title="Tools"
      description="What the agent can do besides talking. It decides when to use a tool by the tool's name and description."
      actions={tools.length > 0 && !isFull && <CreateTool agentId={agentId} />}
    >
      {isFull && (
        <p role="status" className="mb-6 rounded-lg border border-line bg-sunken px-4 py-3">
          This agent has all {limits.limit} tools that your plan allows. To add another, delete one or{" "}
          <Link to="/settings/plan" className="underline underline-offset-2">
            see your plan
          </Link>
          .
        </p>
      )}
      {tools.length > 0 ? (
        <>
          <ToolTable tools={tools} agentId={agentId} />
          {limits?.limit != null && !isFull && (
            <p className="mt-3 text-sm text-soft">
              {limits.current} of {limits.limit} tools
            </p>
          )}
        </>
      ) : (
        <div className="grid gap-6">
          <div>
            <h2 className="text-lg">No tools yet</h2>
            <p className="mt-1 max-w-[70ch] text-soft">
              Without tools, the agent only knows its instructions and documents. With tools, it can look things up,
              show products, and take orders and bookings.
            </p>
          </div>
          {!isFull && <KindList agentId={agentId} />}
        </div>
      )}
    </Page>
  );
}

function CreateTool({ agentId }: { agentId: string }) {
  const navigate = useNavigate();
  return (
    <Menu
      trigger={
        <Button variant="main">
          Create tool <ChevronDown size={16} aria-hidden />
        </Button>
      }
      items={kindNames.map((kind) => ({
        label: toolKinds[kind].name,
        hint: toolKinds[kind].line,
        onSelect: () => void navigate({ to: "/agents/$agentId/tools/new", params: { agentId }, search: { kind } }),
      }))}
    />
  );
}
