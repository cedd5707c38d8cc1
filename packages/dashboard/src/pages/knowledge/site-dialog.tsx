import type { DocumentSource, SourcePreview, SourceSchedule } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Select, TextArea, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { useDialogForm } from "../../components/use-dialog-form.ts";
import { toSentence } from "../../components/use-draft.ts";
import { api } from "../../data/api.ts";
import { refresh } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";
import { completeAddress, splitLines } from "./document-labels.ts";

const scheduleOptions = [
  { value: "weekly", label: "Weekly" },
  { value: "daily", label: "Daily" },
  { value: "manual", label: "Manually" },
] as const satisfies ReadonlyArray<{ value: SourceSchedule; label: string }>;

/** Adds or edits a site. For a new site, a preview lists its pages, so that some can be excluded before a sync. */
export function SiteDialog({
  agentId,
  site,
  onClose,
}: {
  agentId: string;
  /** null for a new site */
  site: DocumentSource | null;
  onClose: () => void;
}) {
  const running = useRef<AbortController>(null);
  const preview = useMutation({
    mutationFn: (body: { url: string; include: string[]; exclude: string[] }) => {
      running.current?.abort();
      running.current = new AbortController();
      return api.previewSource({ body }, { signal: running.current.signal });
    },
  });
  // The server stops searching for pages when the dialog is closed.
  useEffect(() => () => running.current?.abort(), []);
  const [unchecked, setUnchecked] = useState<ReadonlySet<string>>(new Set());
  const initial = {
    url: site?.url ?? "",
    include: site?.include.join("\n") ?? "",
    exclude: site?.exclude.join("\n") ?? "",
    schedule: site?.schedule ?? ("weekly" as SourceSchedule),
  };
  const form = useDialogForm(initial, async ({ url, include, exclude, schedule }) => {
    const body = { url: completeAddress(url), include: splitLines(include), exclude: splitLines(exclude), schedule };
    if (site) await api.updateSource({ id: site.id, body });
    else await api.createSource({ body: { agentId, ...body, ...listChosenPages(found, unchecked) } });
    await refresh("listSources");
    notify(site ? "Site saved" : "Site added");
    onClose();
  });
  const { values } = form;
  const request = {
    url: completeAddress(values.url),
    include: splitLines(values.include),
    exclude: splitLines(values.exclude),
  };
  // A preview of another address or with other patterns does not apply to the site that is being added.
  const isCurrent = JSON.stringify(preview.variables) === JSON.stringify(request);
  const found = isCurrent ? preview.data : undefined;
  // Errors of single fields are shown at the fields.
  const details = isCurrent && preview.error instanceof FoyerError ? preview.error.details : [];
  const previewErrors = new Map(details.map(({ path, message }) => [path, toSentence(message)]));
  const isNoneChecked = found !== undefined && found.pages.length > 0 && unchecked.size === found.pages.length;
  const find = () => {
    setUnchecked(new Set());
    preview.mutate(request);
  };
  const onSubmit = async (event: FormEvent) => {
    if (isNoneChecked) event.preventDefault();
    else await form.onSubmit(event);
  };
  return (
    <FormDialog
      title={site ? "Edit site" : "Add site"}
      description="Reads the public pages of a website. Sitemaps come first, then links. robots.txt is followed."
      action={site ? "Save site" : "Add site"}
      form={{ ...form, onSubmit }}
      onClose={onClose}
      besideAction={
        site ? undefined : (
          <Button isBusy={preview.isPending} disabled={values.url.trim() === ""} onClick={find}>
            Find pages
          </Button>
        )
      }
    >
      <SiteFields form={{ ...form, errorAt: (path) => form.errorAt(path) ?? previewErrors.get(path) }} />
      {isCurrent && preview.isError && previewErrors.size === 0 && (
        <p role="alert" className="border-s-2 border-wrong ps-3">
          {preview.error.message}
        </p>
      )}
      {found && <PageList preview={found} unchecked={unchecked} onChange={setUnchecked} />}
      {isNoneChecked && (
        <p role="alert" className="text-sm text-wrong">
          Check at least one page.
        </p>
      )}
    </FormDialog>
  );
}

type SiteForm = ReturnType<
  typeof useDialogForm<{ url: string; include: string; exclude: string; schedule: SourceSchedule }>
>;

function SiteFields({ form: { values, change, errorAt } }: { form: Pick<SiteForm, "values" | "change" | "errorAt"> }) {
  return (
    <>
      <TextField
        label="Address"
        type="url"
        placeholder="https://harbour-bikes.example/"
        help="The page to start from. Only pages on the same host are read."
        value={values.url}
        onChange={(url) => change({ url })}
        error={errorAt("url")}
      />
      <TextArea
        label="Include"
        isOptional
        placeholder="/help/**"
        help="Paths to read, one pattern per line. Leave empty to read all pages."
        value={values.include}
        onChange={(include) => change({ include })}
        error={errorAt("include")}
      />
      <TextArea
        label="Exclude"
        isOptional
        placeholder="/blog/**"
        help="Paths to skip, one pattern per line."
        value={values.exclude}
        onChange={(exclude) => change({ exclude })}
        error={errorAt("exclude")}
      />
      <Select
        label="Read again"
        value={values.schedule}
        onChange={(schedule) => change({ schedule })}
        options={scheduleOptions}
      />
    </>
  );
}

/** The start address after redirects, and the pages to read if some were unchecked. */
function listChosenPages(preview: SourcePreview | undefined, unchecked: ReadonlySet<string>) {
  if (!preview) return {};
  const urls = preview.pages.filter((url) => !unchecked.has(url));
  return { url: preview.url, ...(unchecked.size > 0 ? { urls } : {}) };
}

function PageList({
  preview: { pages, disallowed, foundIn, isComplete },
  unchecked,
  onChange,
}: {
  preview: SourcePreview;
  unchecked: ReadonlySet<string>;
  onChange: (unchecked: ReadonlySet<string>) => void;
}) {
  const toggle = (url: string) => {
    const next = new Set(unchecked);
    if (!next.delete(url)) next.add(url);
    onChange(next);
  };
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="font-medium">Pages</legend>
      <p role="status" className="text-sm text-soft">
        {pages.length === 1 ? "1 page" : `${pages.length.toLocaleString()} pages`} found in{" "}
        {foundIn === "sitemap" ? "the sitemap" : "links"}.
        {!isComplete && " The site may have more pages. They are also read unless you uncheck a page."}
        {disallowed > 0 && ` robots.txt excludes ${disallowed.toLocaleString()}.`}
        {unchecked.size > 0 && " Only the checked pages are read. Pages added to the site later are not."}
      </p>
      {pages.length > 1 && (
        <div>
          <Button onClick={() => onChange(unchecked.size === 0 ? new Set(pages) : new Set())}>
            {unchecked.size === 0 ? "Uncheck all" : "Check all"}
          </Button>
        </div>
      )}
      <ul className="max-h-64 overflow-y-auto rounded-lg border border-line">
        {pages.map((url) => (
          <li key={url} className="border-b border-line last:border-b-0">
            <label className="flex min-h-9 items-center gap-2 px-3 py-1">
              <input
                type="checkbox"
                className="size-4 shrink-0 accent-ink"
                checked={!unchecked.has(url)}
                onChange={() => toggle(url)}
              />
              <span className="min-w-0 break-all">{readPath(url)}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

/** The path and query of a URL. */
export function readPath(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}
