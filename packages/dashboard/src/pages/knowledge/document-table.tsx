import type { Document } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { MoreHorizontal } from "lucide-react";
import { IconButton } from "../../components/button.tsx";
import { Toggle } from "../../components/field.tsx";
import { Menu } from "../../components/menu.tsx";
import { LinkTr, Table, Td, Th } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { useCall } from "../../data/queries.ts";
import { isUnderWay, kindNames } from "./document-labels.ts";
import { DocumentState } from "./document-state.tsx";

/** A row per document. It leads to the document's page; its switch decides whether the agent uses the document. */
export function DocumentTable({
  documents,
  onDelete,
}: {
  documents: readonly Document[];
  onDelete: (document: Document) => void;
}) {
  return (
    <Table
      label="Documents"
      head={
        <>
          <Th>Title</Th>
          <Th className="max-md:hidden">Kind</Th>
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
        <DocumentRow key={document.id} document={document} onDelete={onDelete} />
      ))}
    </Table>
  );
}

function DocumentRow({ document, onDelete }: { document: Document; onDelete: (document: Document) => void }) {
  const { id, agentId, title, kind, error, isEnabled, updatedAt } = document;
  const update = useCall("updateDocument", { changes: ["listDocuments", "getDocument"] });
  const retry = useCall("retryDocument", { changes: ["listDocuments", "getDocument"] });
  // The switch moves at once and moves back if the server refuses.
  const shown = update.isPending ? update.variables.body.isEnabled === true : isEnabled;
  return (
    <LinkTr>
      <Td className="w-full max-w-0">
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
        {error && <p className="text-sm text-soft">{error.message}</p>}
      </Td>
      <Td className="whitespace-nowrap text-soft max-md:hidden">{kindNames[kind]}</Td>
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
          value={shown}
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

/** What processing the document again is called. */
export function retryLabel({ kind, state }: Document): string {
  if (state === "failed") return "Try again";
  return kind === "page" ? "Fetch again" : "Process again";
}
