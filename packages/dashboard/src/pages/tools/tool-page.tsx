import { FoyerError } from "@foyer/sdk";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { BackLink } from "../../components/back-link.tsx";
import { Page } from "../../components/page.tsx";
import { Status } from "../../components/status.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { useDraft } from "../../components/use-draft.ts";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { AboutPart } from "./about-part.tsx";
import { DeliveryPart } from "./delivery/delivery-part.tsx";
import { DisplayPart } from "./display/display-part.tsx";
import { DuplicateTool } from "./duplicate-tool.tsx";
import { FailureNote } from "./failure-note.tsx";
import { FieldsPart } from "./fields/fields-part.tsx";
import { InputsPart } from "./inputs/inputs-part.tsx";
import { KindList } from "./kind-list.tsx";
import { PagePart } from "./page-code/page-part.tsx";
import { RequestPart } from "./request/request-part.tsx";
import { ResponsePart } from "./response-part.tsx";
import { TestPart } from "./test/test-part.tsx";
import { createEmptyDraft, pickChanges, type ToolKind, toBody, toDraft } from "./tool-draft.ts";
import { type PartViews, ToolEditor } from "./tool-editor.tsx";
import { toKind, toolKinds } from "./tool-kinds.tsx";
import { WarningNote } from "./warning-note.tsx";

const views: PartViews = {
  about: AboutPart,
  response: ResponsePart,
  request: RequestPart,
  page: PagePart,
  fields: FieldsPart,
  delivery: DeliveryPart,
  inputs: InputsPart,
  display: DisplayPart,
  test: TestPart,
};

const route = getRouteApi("/shell/agents/$agentId/tools/$toolId");

/** Edits and tests one tool of the agent. */
export function ToolPage() {
  const { toolId } = route.useParams();
  return <SavedTool key={toolId} />;
}

function SavedTool() {
  const { agentId, toolId } = route.useParams();
  const { data: tool } = useSuspenseQuery(endpointQuery("getTool", { id: toolId }));
  const saved = useMemo(() => toDraft(tool), [tool]);
  const draft = useDraft(saved);
  const edits = useAgentEdits(agentId, draft);
  const update = useEndpointMutation("updateTool", { edits, changes: ["listTools", "getTool"], done: "Saved" });
  if (tool.agentId !== agentId)
    throw new FoyerError("NOT_FOUND", "This tool belongs to another agent.", { status: 404 });
  const { name, icon } = toolKinds[tool.executionType];
  return (
    <Page
      isWide
      title={toolTitle(tool.name)}
      actions={<DuplicateTool tool={tool} />}
      back={<BackToTools agentId={agentId} />}
      description={
        <span className="inline-flex flex-wrap items-center gap-x-4 gap-y-1">
          <span className="inline-flex items-center gap-2">
            {icon} {name}
          </span>
          {!tool.isEnabled && <Status tone="warning">Disabled. The agent does not use it.</Status>}
        </span>
      }
    >
      <FailureNote agentId={agentId} toolId={tool.id} />
      <WarningNote warnings={tool.warnings} />
      <ToolEditor
        views={views}
        agentId={agentId}
        tool={tool}
        draft={draft}
        kind={tool.executionType}
        save={async (values, changed) => {
          await update.mutateAsync({ id: tool.id, body: pickChanges(tool.executionType, values, changed) });
        }}
      />
    </Page>
  );
}

function BackToTools({ agentId }: { agentId: string }) {
  return (
    <BackLink to="/agents/$agentId/tools" params={{ agentId }}>
      All tools
    </BackLink>
  );
}

const newRoute = getRouteApi("/shell/agents/$agentId/tools/new");

/** Creates a tool of the kind in the URL. Without a kind, the page offers all of them. */
export function NewToolPage() {
  const { agentId } = newRoute.useParams();
  const kind = toKind(newRoute.useSearch().kind);
  if (kind) return <NewTool key={`${agentId} ${kind}`} agentId={agentId} kind={kind} />;
  return (
    <Page isWide title="New tool" description="Choose what the tool does." back={<BackToTools agentId={agentId} />}>
      <KindList agentId={agentId} />
    </Page>
  );
}

function NewTool({ agentId, kind }: { agentId: string; kind: ToolKind }) {
  const navigate = useNavigate();
  const { data: session } = useSuspenseQuery(endpointQuery("getSession"));
  const { data: options } = useSuspenseQuery(endpointQuery("getSignInOptions"));
  // On a server without email, such an action could only fail.
  const recipientId = options.sendsMail ? session.user.id : null;
  const saved = useMemo(() => createEmptyDraft(kind, recipientId), [kind, recipientId]);
  const draft = useDraft(saved);
  const edits = useAgentEdits(agentId, draft);
  const create = useEndpointMutation("createTool", {
    edits,
    changes: ["listTools", "getToolLimits"],
    done: "Tool created",
  });
  const { name, line } = toolKinds[kind];
  return (
    <Page
      isWide
      title={`New ${name.toLowerCase().replace("api", "API")}`}
      description={line}
      back={<BackToTools agentId={agentId} />}
    >
      <ToolEditor
        views={views}
        agentId={agentId}
        kind={kind}
        draft={draft}
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
