import { widgetLimits } from "@foyer/contract/rules/limits";
import { MoreHorizontal, Plus } from "lucide-react";
import { useId, useRef } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { Menu, type MenuItem } from "../../components/menu.tsx";
import { ListField } from "./list-field.tsx";
import { isEmptyList, type PageSuggestions } from "./widget-draft.ts";

const MAX_LISTS = 50;

/** Suggestions for the pages whose path matches a pattern, in place of the general ones. */
export function PageSuggestionsField({
  values,
  onChange,
  errorAt,
}: {
  values: readonly PageSuggestions[];
  onChange: (values: PageSuggestions[]) => void;
  /** The error at a path within the saved lists, such as `0.page`. Empty lists are not saved. */
  errorAt: (path: string) => string | undefined;
}) {
  const id = useId();
  const lists = useRef<HTMLUListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const focus = (index: number, what = "input") =>
    // The list exists only after the next render.
    setTimeout(() => (lists.current?.children[index]?.querySelector<HTMLElement>(what) ?? addButton.current)?.focus());
  const change = (index: number, part: Partial<PageSuggestions>) =>
    onChange(values.map((list, at) => (at === index ? { ...list, ...part } : list)));
  const add = () => {
    onChange([...values, { page: "", suggestions: [] }]);
    focus(values.length);
  };
  const remove = (index: number) => {
    onChange(values.toSpliced(index, 1));
    focus(Math.max(0, index - 1));
  };
  const move = (from: number, to: number) => {
    onChange(values.with(from, values[to] as PageSuggestions).with(to, values[from] as PageSuggestions));
    focus(to, "[aria-haspopup=menu]");
  };
  return (
    <fieldset aria-describedby={`${id}-help`} className="grid min-w-0 gap-2">
      <legend className="mb-1 font-medium">Suggestions by page</legend>
      {values.length === 0 && <p className="text-soft">Every page shows the suggestions above.</p>}
      <ul ref={lists} className="grid gap-3 empty:hidden">
        {values.map((list, index) => {
          const saved = values.slice(0, index).filter((other) => !isEmptyList(other)).length;
          return (
            <PageList
              // biome-ignore lint/suspicious/noArrayIndexKey: a list is identified by its position; patterns may repeat while they are edited
              key={index}
              list={list}
              onChange={(part) => change(index, part)}
              actions={[
                { label: "Move up", disabled: index === 0, onSelect: () => move(index, index - 1) },
                {
                  label: "Move down",
                  disabled: index === values.length - 1,
                  onSelect: () => move(index, index + 1),
                },
                null,
                { label: `Remove ${list.page.trim() || "page"}`, isDanger: true, onSelect: () => remove(index) },
              ]}
              errorAt={(path) => (isEmptyList(list) ? undefined : errorAt(`${saved}.${path}`))}
            />
          );
        })}
      </ul>
      <div>
        <Button ref={addButton} onClick={add} disabled={values.length >= MAX_LISTS}>
          <Plus size={16} aria-hidden /> Add page
        </Button>
      </div>
      <p id={`${id}-help`} className="text-sm text-soft">
        On pages that match, these replace the suggestions above. If several match, the first one is used, so put
        exceptions first. <code>*</code> matches one segment of the path, <code>**</code> any number.
      </p>
    </fieldset>
  );
}

function PageList({
  list: { page, suggestions },
  onChange,
  actions,
  errorAt,
}: {
  list: PageSuggestions;
  onChange: (part: Partial<PageSuggestions>) => void;
  actions: ReadonlyArray<MenuItem | null>;
  errorAt: (path: string) => string | undefined;
}) {
  return (
    <li className="grid gap-3 rounded-lg border border-line p-3">
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1">
          <TextField
            label="Page"
            autoComplete="off"
            spellCheck={false}
            placeholder="/bikes/*"
            className="font-mono"
            value={page}
            onChange={(page) => onChange({ page })}
            error={errorAt("page")}
          />
        </div>
        <Menu
          trigger={
            <IconButton label={`Actions for ${page.trim() || "page"}`}>
              <MoreHorizontal size={16} aria-hidden />
            </IconButton>
          }
          items={actions}
        />
      </div>
      <ListField
        label={`Suggestions on ${page.trim() || "this page"}`}
        itemLabel="Suggestion"
        addLabel="Add suggestion"
        max={widgetLimits.suggestions}
        placeholder="Is it in stock?"
        emptyText="No suggestions on this page."
        help=""
        values={suggestions}
        onChange={(suggestions) => onChange({ suggestions })}
        errorAt={(index) => errorAt(`suggestions.${index}`)}
      />
    </li>
  );
}
