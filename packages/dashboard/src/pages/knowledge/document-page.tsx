import type { DocumentDetail } from "@foyer/contract";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { BackLink } from "../../components/back-link.tsx";
import { Button } from "../../components/button.tsx";
import { DeleteSection } from "../../components/delete-section.tsx";
import { Page, Section } from "../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../components/states.tsx";
import { Tag } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { DeleteDocument } from "./delete-document.tsx";
import { DocumentContent } from "./document-content.tsx";
import { DocumentForm } from "./document-form.tsx";
import { formatSize, isUnderWay, kindNames } from "./document-labels.ts";
import { DocumentState } from "./document-state.tsx";
import { retryLabel } from "./document-table.tsx";
import { DocumentUses } from "./document-uses.tsx";
import { askOriginal } from "./original-text.ts";

const route = getRouteApi("/shell/agents/$agentId/knowledge/$documentId");
const POLL_MS = 1_500;

/** One document: its state, settings and processed content. */
export function DocumentPage() {
  const { documentId } = route.useParams();
  return <Document key={documentId} id={documentId} />;
}

function Document({ id }: { id: string }) {
  const { data: document } = useSuspenseQuery({
    ...endpointQuery("getDocument", { id }),
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? POLL_MS : false),
  });
  const retry = useEndpointMutation("retryDocument", { changes: ["listDocuments", "getDocument"] });
  return (
    <Page
      isWide
      back={
        <BackLink to="/agents/$agentId/knowledge" params={{ agentId: document.agentId }}>
          All documents
        </BackLink>
      }
      title={document.title}
      actions={
        <Button disabled={isUnderWay(document)} isBusy={retry.isPending} onClick={() => retry.mutate({ id })}>
          {retryLabel(document)}
        </Button>
      }
    >
      <Facts document={document} />
      {document.error && (
        <div role="status" className="mb-6 border-s-2 border-wrong px-4 py-1">
          <p className="font-medium">This document could not be processed</p>
          <p className="max-w-[70ch] text-soft">
            {document.error.message}
            {document.readyAt !== null && " The agent still uses the previous version."}
          </p>
        </div>
      )}
      {document.warnings.length > 0 && (
        <div role="status" className="mb-6 border-s-2 border-line px-4 py-1">
          <p className="font-medium">Some content was left out</p>
          <ul className="max-w-[70ch] text-soft">
            {document.warnings.map(({ code, message }) => (
              <li key={code}>{message}</li>
            ))}
          </ul>
        </div>
      )}
      <Section title="Settings">
        <Settings document={document} />
      </Section>
      <DocumentContent document={document} />
      <DocumentUses agentId={document.agentId} documentId={id} />
      <Delete document={document} />
    </Page>
  );
}

function Facts({ document }: { document: DocumentDetail }) {
  const { kind, bytes, chunks, characters, language, updatedAt, readyAt } = document;
  return (
    <div className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-1 text-soft">
      <span className="text-ink">
        <DocumentState document={document} />
      </span>
      <Tag>{kindNames[kind]}</Tag>
      {kind === "file" && <span>{formatSize(bytes)}</span>}
      {readyAt !== null && (
        <span>
          {chunks === 1 ? "1 passage" : `${chunks.toLocaleString()} passages`}, {characters.toLocaleString()} characters
        </span>
      )}
      {language && <span>{languageName(language)}</span>}
      <span>
        Changed <Time at={updatedAt} />
      </span>
    </div>
  );
}

function languageName(code: string): string {
  return new Intl.DisplayNames("en", { type: "language" }).of(code) ?? code;
}

/** A text is edited in its original form, which has to be loaded first. */
function Settings({ document }: { document: DocumentDetail }) {
  const isText = document.kind === "text";
  const original = useQuery({ ...askOriginal(document.id), enabled: isText });
  if (!isText) return <DocumentForm document={document} original="" />;
  if (original.data !== undefined) return <DocumentForm document={document} original={original.data} />;
  if (original.error) return <ErrorState error={original.error} onRetry={() => void original.refetch()} />;
  return <SkeletonRows />;
}

function Delete({ document }: { document: DocumentDetail }) {
  const { agentId } = route.useParams();
  const navigate = useNavigate();
  const [isDoomed, setDoomed] = useState(false);
  // The document no longer exists, so leaving does not ask about unsaved changes.
  const leave = () =>
    navigate({ to: "/agents/$agentId/knowledge", params: { agentId }, ignoreBlocker: true, replace: true });
  return (
    <>
      <DeleteSection
        title="Delete document"
        description="The agent stops using it immediately."
        action="Delete document"
        onDelete={() => setDoomed(true)}
      />
      <DeleteDocument document={isDoomed ? document : null} onClose={() => setDoomed(false)} onDeleted={leave} />
    </>
  );
}
