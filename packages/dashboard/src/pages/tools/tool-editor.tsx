import type { Tool, ToolTest } from "@foyer/contract";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { SaveBar } from "../../components/save-bar.tsx";
import type { useDraft } from "../../components/use-draft.ts";
import { PartTabs } from "./part-tabs.tsx";
import { ProblemList } from "./problem-list.tsx";
import type { ToolDraft, ToolKind } from "./tool-draft.ts";
import { editorParts, type Part, partAt } from "./tool-parts.ts";

/** The draft of a tool, as every part of its editor gets it. */
export type ToolDrafting = ReturnType<typeof useDraft<ToolDraft>>;

/** The props of every part of the editor. `tool` is `null` until it is created. */
export type PartProps = {
  agentId: string;
  kind: ToolKind;
  tool: Tool | null;
  draft: ToolDrafting;
  /** The last test run on this page. */
  lastTest: ToolTest | null;
  onTest: (test: ToolTest) => void;
};

/** A view for every part that a tool may have. */
export type PartViews = Record<Part, (props: PartProps) => ReactNode>;

type EditorProps = Pick<PartProps, "agentId" | "kind" | "tool" | "draft"> & {
  views: PartViews;
  save: (values: ToolDraft, changed: Partial<ToolDraft>) => Promise<unknown>;
};

/** The editor of a tool, one part at a time. An error opens the part with the invalid field. */
export function ToolEditor({ views, save, ...props }: EditorProps) {
  const { draft, kind, tool } = props;
  const [lastTest, setLastTest] = useState<ToolTest | null>(null);
  const parts = editorParts(kind, tool === null);
  const { part: wanted } = useSearch({ strict: false });
  const part = parts.find((part) => part === wanted) ?? "about";
  const go = useGoToPart();
  const View = views[part];
  const wrong = [...new Set(draft.errors.map(({ path }) => partAt(path)))];

  // The invalid field can be focused once its part is shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another part is shown
  useEffect(() => {
    if (wrong.includes(part)) draft.form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [part]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new errors open another part
  useEffect(() => {
    if (wrong[0] && !wrong.includes(part)) go(wrong[0]);
  }, [draft.errors]);

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void draft.submit(save);
  };
  return (
    <form ref={draft.form} noValidate onSubmit={onSubmit} className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <div>
        <PartTabs parts={parts} current={part} wrong={wrong} />
        <ProblemList errors={draft.errors} current={part} onGo={go} />
        <View {...props} lastTest={lastTest} onTest={setLastTest} />
      </div>
      <SaveBar
        isDirty={draft.isDirty}
        isBusy={draft.isBusy}
        onDiscard={() => draft.reset()}
        isNew={tool === null}
        label={tool === null ? "Create tool" : "Save"}
      />
    </form>
  );
}

/** Navigates to another part of the open tool. */
function useGoToPart(): (part: Part) => void {
  const navigate = useNavigate();
  return (part) =>
    void navigate({
      to: ".",
      search: (search: { part?: string }) => ({ ...search, part: part === "about" ? undefined : part }) as never,
      replace: true,
      resetScroll: false,
    });
}
