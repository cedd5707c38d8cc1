import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { Page } from "../../components/page.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { useCall } from "../../data/queries.ts";
import { KindList } from "./kind-list.tsx";
import { emptyDraft, type ToolKind, toBody } from "./tool-draft.ts";
import { ToolEditor } from "./tool-editor.tsx";
import { toKind, toolKinds } from "./tool-kinds.tsx";

const route = getRouteApi("/shell/agents/$agentId/tools/new");

/** A tool that is about to be made, of the kind that the address names; without one, the three to choose from. */
export function NewToolPage() {
  const { agentId } = route.useParams();
  const kind = toKind(route.useSearch().kind);
  if (kind) return <NewTool key={kind} agentId={agentId} kind={kind} />;
  return (
    <Page isWide title="New tool" description="Which kind of tool is it?">
      <KindList agentId={agentId} />
    </Page>
  );
}

function NewTool({ agentId, kind }: { agentId: string; kind: ToolKind }) {
  const navigate = useNavigate();
  const saved = useMemo(() => emptyDraft(kind), [kind]);
  const draft = useDraft(saved);
  const create = useCall("createTool", { changes: ["listTools", "getToolLimits"], done: "The tool is made" });
  const { name, line } = toolKinds[kind];
  return (
    <Page isWide title={`New ${name.toLowerCase().replace("http", "HTTP")}`} description={line}>
      <ToolEditor
        {...{ agentId, kind, draft }}
        tool={null}
        save={async (values) => {
          const tool = await create.mutateAsync({ body: { ...toBody(kind, values), agentId, executionType: kind } });
          await navigate({
            to: "/agents/$agentId/tools/$toolId",
            params: { agentId, toolId: tool.id },
            search: kind === "http" ? { part: "test" } : {},
            replace: true,
            ignoreBlocker: true,
          });
        }}
      />
    </Page>
  );
}
