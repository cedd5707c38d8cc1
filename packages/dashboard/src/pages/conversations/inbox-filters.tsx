import type { ConversationTag } from "@foyer/contract";
import { searchTextLimits } from "@foyer/contract/rules/limits";
import { useQuery } from "@tanstack/react-query";
import { ListFilter, Search, X } from "lucide-react";
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { isComposing } from "../../components/composing.ts";
import { Select, TextField } from "../../components/field.tsx";
import { Popover } from "../../components/popover.tsx";
import { ratingFilterText } from "../../components/rating-text.ts";
import { endpointQuery } from "../../data/queries.ts";
import {
  describeFilters,
  hasAllAgents,
  type InboxSearch,
  inboxViews,
  isTeamView,
  noFilters,
  openView,
  readView,
  viewNames,
} from "./inbox-search.ts";
import { OpenSavedView, SavedViews } from "./saved-views.tsx";

const DEBOUNCE_MS = 250;

type Change = (part: { [Name in keyof InboxSearch]?: string | undefined }) => void;

/** The search and the filters, which are part of the URL. */
export function InboxFilters({
  search,
  field,
  hasKeys,
  onChange,
  onLeave,
}: {
  search: InboxSearch;
  field: RefObject<HTMLInputElement | null>;
  /** Whether `/` moves the focus to the search. */
  hasKeys: boolean;
  onChange: Change;
  /** Called when Enter or Arrow Down leaves the search for the list. */
  onLeave: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const isTagged = search.tag !== undefined;
  const { data: tags } = useQuery({ ...endpointQuery("listTags"), enabled: isOpen || isTagged });
  const active = describeFilters(search, tags);
  return (
    <search className="grid gap-2 border-b border-line px-4 py-3 xl:ps-8">
      <div className="relative flex items-center gap-1">
        <SearchField
          field={field}
          hasKeys={hasKeys}
          onLeave={onLeave}
          value={search.q ?? ""}
          onChange={(q) => onChange({ q })}
        />
        <Popover
          label="Filters"
          isOpen={isOpen}
          onClose={() => setOpen(false)}
          trigger={
            <IconButton
              label={isOpen ? "Hide filters" : "Filters"}
              aria-expanded={isOpen}
              className={isOpen ? "bg-selected text-ink" : ""}
              onClick={() => setOpen(!isOpen)}
            >
              <ListFilter size={16} aria-hidden />
            </IconButton>
          }
        >
          <FilterFields search={search} tags={tags} onChange={onChange} />
        </Popover>
        <SavedViews search={search} onChange={onChange} />
      </div>
      <OpenSavedView search={search} onChange={onChange} />
      {active.length > 0 && (
        <ul aria-label="Active filters" className="flex flex-wrap gap-1">
          {active.map(({ name, text }) => (
            <li key={name}>
              <button
                type="button"
                onClick={() => onChange({ [name]: undefined })}
                className="inline-flex min-h-7 max-w-full items-center gap-1 rounded-md border border-line bg-raised px-2 text-sm hover:bg-hover pointer-coarse:min-h-9"
              >
                <span className="truncate">{text}</span>
                <X size={14} aria-hidden className="shrink-0 text-soft" />
                <span className="sr-only">, remove this filter</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}

function SearchField({
  field,
  value,
  hasKeys,
  onChange,
  onLeave,
}: {
  field: RefObject<HTMLInputElement | null>;
  value: string;
  hasKeys: boolean;
  onChange: (value: string | undefined) => void;
  onLeave: () => void;
}) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  // Follows changes of the URL, such as from the Back button, but does not overwrite what is being typed.
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  // The inbox renders whenever something happens in it, which must not restart the timer.
  const send = useEffectEvent(() => {
    sent.current = text;
    onChange(text || undefined);
  });
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => send(), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="relative min-w-0 flex-1">
      <Search size={16} aria-hidden className="absolute inset-y-0 start-3 my-auto text-soft" />
      <input
        ref={field}
        type="search"
        aria-label="Search titles and messages"
        aria-keyshortcuts={hasKeys ? "/" : undefined}
        placeholder="Search"
        maxLength={searchTextLimits.conversations}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if ((event.key !== "Enter" && event.key !== "ArrowDown") || isComposing(event)) return;
          event.preventDefault();
          onLeave();
        }}
        className="peer min-h-9 w-full rounded-lg border border-edge bg-raised ps-9 pe-3 pointer-coarse:min-h-11"
      />
      {hasKeys && (
        <kbd
          aria-hidden
          className="pointer-events-none absolute inset-y-0 end-2 my-auto hidden h-fit rounded-md border border-line px-1.5 font-sans text-sm text-soft peer-placeholder-shown:block peer-focus:hidden pointer-coarse:hidden"
        >
          /
        </kbd>
      )}
    </div>
  );
}

function FilterFields({
  search,
  tags,
  onChange,
}: {
  search: InboxSearch;
  /** The tags of the organization, or undefined until they have loaded. */
  tags: readonly ConversationTag[] | undefined;
  onChange: Change;
}) {
  const isAny = describeFilters(search).length > 0;
  return (
    <div className="@container grid grid-cols-2 gap-3 p-3">
      <Select
        label="Show"
        value={readView(search) ?? ""}
        onChange={(view) => onChange(openView(readView({ view })))}
        options={[
          { value: "", label: "All of this agent" },
          ...inboxViews.map((view) => ({ value: view, label: viewNames[view] })),
        ]}
      />
      {!isTeamView(search) && (
        <Select
          label="Answered by"
          value={search.handler === "agent" ? "agent" : ""}
          onChange={(handler) => onChange({ handler: handler || undefined })}
          options={[
            { value: "", label: "Anyone" },
            { value: "agent", label: "The agent" },
          ]}
        />
      )}
      {hasAllAgents(search) && (
        <Select
          label="Agent"
          value={search.scope === "agent" ? "agent" : ""}
          onChange={(scope) => onChange({ scope: scope || undefined })}
          options={[
            { value: "", label: "All agents" },
            { value: "agent", label: "Only this agent" },
          ]}
        />
      )}
      <Select
        label="Feedback"
        value={search.feedback ?? ""}
        onChange={(feedback) => onChange({ feedback: feedback || undefined })}
        options={[
          { value: "", label: "Any" },
          { value: "up", label: "Rated good" },
          { value: "down", label: "Rated bad" },
        ]}
      />
      <Select
        label="Rating"
        value={search.rating ?? ""}
        onChange={(rating) => onChange({ rating: rating || undefined })}
        options={[{ value: "", label: "Any" }, ...ratingOptions(search.rating)]}
      />
      <Select
        label="Form"
        value={search.hasForm ?? ""}
        onChange={(hasForm) => onChange({ hasForm: hasForm || undefined })}
        options={[
          { value: "", label: "Any" },
          { value: "true", label: "Submitted" },
          { value: "false", label: "Not submitted" },
        ]}
      />
      <Select
        label="Replies"
        value={search.failed === "true" ? "true" : ""}
        onChange={(failed) => onChange({ failed: failed || undefined })}
        options={[
          { value: "", label: "Any" },
          { value: "true", label: "Failed replies" },
        ]}
      />
      <Select
        label="Test chats"
        value={search.test === "true" || search.test === "false" ? search.test : ""}
        onChange={(test) => onChange({ test: test || undefined })}
        options={[
          { value: "", label: "Any" },
          { value: "false", label: "Hide" },
          { value: "true", label: "Only test chats" },
        ]}
      />
      <Select
        label="Tag"
        value={search.tag ?? ""}
        onChange={(tag) => onChange({ tag: tag || undefined })}
        options={[{ value: "", label: "Any" }, ...tagOptions(tags, search.tag)]}
      />
      <DayField label="Started from" value={search.from} onChange={(from) => onChange({ from })} />
      <DayField label="Started until" value={search.to} onChange={(to) => onChange({ to })} />
      <div className="col-span-2">
        <VisitorField value={search.userId ?? ""} onChange={(userId) => onChange({ userId })} />
      </div>
      {isAny && (
        <Button variant="plain" className="col-span-2" onClick={() => onChange(noFilters)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

const ratingFilters = ["any", "4,5", "3", "1,2", "none"];

/** The ratings to filter by. A link can have others. */
function ratingOptions(chosen = "") {
  const filters = chosen === "" || ratingFilters.includes(chosen) ? ratingFilters : [...ratingFilters, chosen];
  return filters.map((value) => ({ value, label: ratingFilterText(value) }));
}

/** The tags to filter by. The chosen one may not have loaded yet, or may have been deleted. */
function tagOptions(tags: readonly ConversationTag[] | undefined, chosen = "") {
  const options = (tags ?? []).map(({ id, name }) => ({ value: id, label: name }));
  if (chosen === "" || options.some(({ value }) => value === chosen)) return options;
  return [...options, { value: chosen, label: tags ? "Deleted tag" : "Tag" }];
}

type Optional = { value: string | undefined; onChange: (value: string | undefined) => void };

function DayField({ label, value, onChange }: Optional & { label: string }) {
  return (
    // In a narrow panel, half a row is too short for a date and the button of its calendar.
    <div className="col-span-2 @xs:col-span-1">
      <TextField
        type="date"
        label={label}
        value={value ?? ""}
        onChange={(day) => onChange(day || undefined)}
        className="min-w-0"
      />
    </div>
  );
}

/** Applies on blur or Enter, because a partial id finds nothing. */
function VisitorField({ value, onChange }: { value: string; onChange: Optional["onChange"] }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = () => text !== value && onChange(text || undefined);
  return (
    <TextField
      label="Visitor"
      help="The user ID that your site passes"
      value={text}
      onChange={setText}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && event.keyCode !== 229 && commit()}
    />
  );
}
