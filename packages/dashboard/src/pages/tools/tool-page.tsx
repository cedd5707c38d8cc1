import { FoyerError } from "@foyer/sdk";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { Page } from "../../components/page.tsx";
import { Status } from "../../components/status.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { ask, useCall } from "../../data/queries.ts";
import { changesOf, toDraft } from "./tool-draft.ts";
import { ToolEditor } from "./tool-editor.tsx";
import { toolKinds } from "./tool-kinds.tsx";

const route = getRouteApi("/shell/agents/$agentId/tools/$toolId");

export function ToolPage() {
  const { toolId } = route.useParams();
  return <SavedTool key={toolId} />;
}

function SavedTool() {
  const { agentId, toolId } = route.useParams();
  const { data: tool } = useSuspenseQuery(ask("getTool", { id: toolId }));
  const saved = useMemo(() => toDraft(tool), [tool]);
  const draft = useDraft(saved);
  const update = useCall("updateTool", { changes: ["listTools", "getTool"], done: "Saved" });
  if (tool.agentId !== agentId) throw new FoyerError("NOT_FOUND", "This tool is another agent's.", { status: 404 });
  const { name, icon } = toolKinds[tool.executionType];
  return (
    <Page
      isWide
      title={tool.name}
      description={
        <span className="inline-flex flex-wrap items-center gap-x-4 gap-y-1">
          <span className="inline-flex items-center gap-2">
            {icon} {name}
          </span>
          {!tool.isEnabled && <Status tone="warning">Turned off: the agent does not use it</Status>}
        </span>
      }
    >
      <ToolEditor
        {...{ agentId, tool, draft }}
        kind={tool.executionType}
        save={async (values) => {
          await update.mutateAsync({ id: tool.id, body: changesOf(tool.executionType, values, saved) });
        }}
      />
    </Page>
  );
}
