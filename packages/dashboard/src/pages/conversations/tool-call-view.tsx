import { toParts } from "@foyer/sdk";
import { Link } from "@tanstack/react-router";
import { ChevronRight, FileText, Wrench } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { CalledAs } from "../../components/called-as.tsx";
import { LabeledJson } from "../../components/json-block.tsx";
import { Status, Tag } from "../../components/status.tsx";
import { builtInTitle, toolTitle } from "../../components/tool-title.ts";
import type { PreviewContent } from "../../components/widget-view.tsx";
import { toKind, toolKinds } from "../tools/tool-kinds.tsx";
import type { Call } from "./split-reply.ts";

type AsVisitor = (content: PreviewContent) => ReactNode;

/** The submissions of a conversation's forms, by tool. */
export type SubmissionsByTool = ReadonlyMap<string, ReadonlyArray<{ id: string }>>;

/** A tool call of a reply. Collapsed, it shows the tool and whether it failed; expanded, its input and result. */
export function ToolCallView({
  call,
  agentId,
  isOpen,
  onToggle,
  submissions,
  asVisitor,
}: {
  call: Call;
  agentId: string;
  asVisitor: AsVisitor;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  submissions: SubmissionsByTool | null;
}) {
  const display = displayKind(call.display);
  const builtIn = builtInTitle(call.executionType);
  const kind = toKind(call.executionType);
  return (
    <div className="grid gap-2">
      <details
        open={isOpen}
        onToggle={(event) => onToggle(event.currentTarget.open)}
        className="group min-w-0 rounded-lg border border-line bg-raised"
      >
        <summary className="flex min-h-9 flex-wrap items-center gap-x-2 gap-y-1 rounded-lg px-3 py-1.5 text-sm select-none">
          <ChevronRight size={14} aria-hidden className="text-soft transition-transform group-open:rotate-90" />
          <Wrench size={14} aria-hidden className="text-soft" />
          <span className="font-medium">{builtIn ?? toolTitle(call.name)}</span>
          {kind && <Tag>{toolKinds[kind].name}</Tag>}
          {display && <span className="text-soft">shown as {display}</span>}
          <span className="ms-auto">{call.isError && <Status tone="wrong">Failed</Status>}</span>
        </summary>
        {isOpen && (
          <div className="grid gap-3 border-t border-line px-3 py-3">
            {!builtIn && <CalledAs name={call.name} />}
            <LabeledJson label="Input" value={call.input} />
            <LabeledJson label={call.isError ? "Error" : "Result"} value={call.result ?? call.forModel} />
            {call.toolId && (
              <p className="text-sm">
                <Link
                  to="/agents/$agentId/tools/$toolId"
                  params={{ agentId, toolId: call.toolId }}
                  className="underline underline-offset-2"
                >
                  Open the tool
                </Link>
              </p>
            )}
          </div>
        )}
      </details>
      <ShownToVisitor call={call} asVisitor={asVisitor} />
      {call.form && <ShownForm form={call.form} agentId={agentId} submissions={submissions} />}
    </div>
  );
}

/** The card or table that the visitor saw. */
function ShownToVisitor({ call, asVisitor }: { call: Call; asVisitor: AsVisitor }) {
  const content = useMemo(() => {
    const parts = toParts({ content: "", toolCalls: [call] });
    return { type: "parts" as const, key: call.id, parts };
  }, [call]);
  const isShown = call.form === null && displayKind(call.display) !== null;
  return isShown && !call.isError && asVisitor(content);
}

/** The name of a display type such as `product_carousel`. Null for plain text, which has no card. */
function displayKind(display: unknown): string | null {
  const type = typeof display === "object" && display !== null && "type" in display ? String(display.type) : null;
  return type === null || type === "text" ? null : type.replaceAll("_", " ");
}

/** The form that the visitor saw, as a list of its fields. */
function ShownForm({
  form,
  agentId,
  submissions,
}: {
  form: NonNullable<Call["form"]>;
  agentId: string;
  submissions: SubmissionsByTool | null;
}) {
  const sent = submissions?.get(form.toolId) ?? [];
  const { fields } = form.formSchema;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-raised px-3 py-2 text-sm">
      <FileText size={14} aria-hidden className="text-soft" />
      <span>
        Form “{toolTitle(form.toolName)}” with {fields.length} {fields.length === 1 ? "field" : "fields"}
      </span>
      <span className="ms-auto flex flex-wrap gap-x-3">
        {sent.map(({ id }, index) => (
          <Link
            key={id}
            to="/agents/$agentId/forms/$submissionId"
            params={{ agentId, submissionId: id }}
            className="underline underline-offset-2"
          >
            {sent.length === 1 ? "Submitted: see the answers" : `Submission ${sent.length - index}`}
          </Link>
        ))}
        {submissions && sent.length === 0 && <span className="text-soft">Not submitted</span>}
      </span>
      <ul aria-label="Fields" className="grid w-full gap-0.5 border-t border-line pt-1.5 text-soft">
        {fields.map(({ name, label, validation }) => (
          <li key={name} className="[overflow-wrap:anywhere]">
            {label}
            {!validation?.required?.value && " (optional)"}
          </li>
        ))}
      </ul>
    </div>
  );
}
