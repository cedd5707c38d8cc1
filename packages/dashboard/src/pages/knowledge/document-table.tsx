import type { Document } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { MoreHorizontal } from "lucide-react";
import { IconButton } from "../../components/button.tsx";
import { Toggle } from "../../components/field.tsx";
import { Menu } from "../../components/menu.tsx";
import { LinkTr, Table, Td, Th } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { useEndpointMutation } from "../../data/queries.ts";
import { describeKind, formatSize, isUnderWay } from "./document-labels.ts";
import { DocumentState } from "./document-state.tsx";

/** A row per document. It links to the document's page, and its switch decides whether the agent uses the document. */
export function DocumentTable({
  documents,
  selected,
  onSelect,
  onDelete,
}: {
  documents: readonly Document[];
  selected: ReadonlySet<string>;
  onSelect: (ids: readonly string[], isSelected: boolean) => void;
  onDelete: (document: Document) => void;
}) {
  const ids = documents.map(({ id }) => id);
  const count = ids.filter((id) => selected.has(id)).length;
  return (
    <Table
      label="Documents"
      head={
        <>
          <Th className="w-px">
            <Checkbox
              label="Select all documents on this page"
              value={count > 0 && count === ids.length}
              isMixed={count > 0 && count < ids.length}
              onChange={(isSelected) => onSelect(ids, isSelected)}
            />
          </Th>
          <Th>Title</Th>
          <Th className="max-md:hidden">Kind</Th>
          <Th isNumber className="max-xl:hidden">
            Size
          </Th>
          <Th isNumber className="max-xl:hidden">
            Passages
          </Th>
          <Th className="max-sm:hidden">State</Th>
          <Th className="max-md:hidden">Changed</Th>
          <Th className="w-px">Enabled</Th>
          <Th className="w-px pe-0">
            <span className="sr-only">Actions</span>
          </Th>
        </>
      }
    >
      {documents.map((document) => (
        <DocumentRow
          key={document.id}
          document={document}
          isSelected={selected.has(document.id)}
          onSelect={(isSelected) => onSelect([document.id], isSelected)}
          onDelete={onDelete}
        />
      ))}
    </Table>
  );
}

function DocumentRow({
  document,
  isSelected,
  onSelect,
  onDelete,
}: {
  document: Document;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onDelete: (document: Document) => void;
}) {
  const { id, agentId, title, bytes, chunks, state, error, warnings, isEnabled, updatedAt } = document;
  // Nothing was read, so there is nothing to use.
  const isUnusable = state === "failed" && chunks === 0;
  const update = useEndpointMutation("updateDocument", { changes: ["listDocuments", "getDocument"] });
  const retry = useEndpointMutation("retryDocument", { changes: ["listDocuments", "getDocument"] });
  // The switch moves immediately and moves back if the server refuses.
  const shown = update.isPending ? update.variables.body.isEnabled === true : isEnabled;
  return (
    <LinkTr className={isSelected ? "bg-sunken" : ""}>
      <Td>
        <Checkbox label={`Select ${title}`} value={isSelected} onChange={onSelect} />
      </Td>
      <Td className="w-full max-w-0 sm:min-w-64">
        <Link
          to="/agents/$agentId/knowledge/$documentId"
          params={{ agentId, documentId: id }}
          className={`block truncate font-medium ${shown ? "" : "text-soft"}`}
          title={title}
        >
          {title}
        </Link>
        <span className="block text-sm text-soft sm:hidden">
          <DocumentState document={document} />
        </span>
        {error && <p className="line-clamp-2 text-sm text-soft">{error.message}</p>}
        {warnings.map(({ code, message }) => (
          <p key={code} className="line-clamp-2 text-sm text-soft">
            {message}
          </p>
        ))}
      </Td>
      <Td className="whitespace-nowrap text-soft max-md:hidden">{describeKind(document)}</Td>
      <Td isNumber className="whitespace-nowrap text-soft max-xl:hidden">
        {formatSize(bytes)}
      </Td>
      <Td isNumber className="text-soft max-xl:hidden">
        {chunks.toLocaleString()}
      </Td>
      <Td className="max-sm:hidden">
        <DocumentState document={document} />
      </Td>
      <Td className="text-soft max-md:hidden">
        <Time at={updatedAt} />
      </Td>
      <Td>
        <Toggle
          label={`${title} enabled`}
          isLabelHidden
          value={shown && !isUnusable}
          disabled={isUnusable}
          onChange={(isEnabled) => update.mutate({ id, body: { isEnabled } })}
        />
      </Td>
      <Td className="pe-0">
        <Menu
          trigger={
            <IconButton label={`Actions for ${title}`}>
              <MoreHorizontal size={18} aria-hidden />
            </IconButton>
          }
          items={[
            {
              label: retryLabel(document),
              disabled: isUnderWay(document) || retry.isPending,
              onSelect: () => retry.mutate({ id }),
            },
            null,
            { label: "Delete", isDanger: true, onSelect: () => onDelete(document) },
          ]}
        />
      </Td>
    </LinkTr>
  );
}

/** A checkbox in a table. Its label is visible to screen readers only. */
function Checkbox({
  label,
  value,
  isMixed = false,
  onChange,
}: {
  label: string;
  value: boolean;
  isMixed?: boolean;
  onChange: (value: boolean) => void;
}) {
  return (
    <label className="grid size-9 place-items-center pointer-coarse:size-11">
      <input
        type="checkbox"
        aria-label={label}
        ref={(input) => {
          if (input) input.indeterminate = isMixed;
        }}
        checked={value}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-ink"
      />
    </label>
  );
}

/** The label of the action that processes a document again. */
export function retryLabel({ kind, state }: Document): string {
  if (state === "failed") return "Try again";
  return kind === "page" ? "Fetch again" : "Process again";
}
