import type { ErasureReceipt, VisitorData, VisitorDataKind } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { Select, TextField } from "../../../components/field.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { pluralize } from "../../../components/plural.ts";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery, refresh, useEndpointMutation } from "../../../data/queries.ts";

type Kind = "email" | "userId" | "sessionId" | "conversationId";
type Visitor = { kind: Kind; value: string };

const identifierOptions: ReadonlyArray<{ value: Kind; label: string }> = [
  { value: "email", label: "Email address" },
  { value: "userId", label: "User ID" },
  { value: "sessionId", label: "Session ID" },
  { value: "conversationId", label: "Conversation ID" },
];

const labels: Record<VisitorDataKind, string> = {
  conversations: "Conversations",
  messages: "Messages",
  handoffs: "Requests for a person",
  notes: "Internal notes",
  unansweredQuestions: "Unanswered questions",
  submissions: "Form submissions",
  files: "Submitted files",
  attachments: "Pictures and files in chats",
  deliveries: "Deliveries",
  events: "Webhook events",
  triggerEvents: "Trigger events",
  tokenCounters: "Token counters",
  agentTests: "Tests of agents",
};

/** Finds, exports and erases what is stored about a visitor. */
export function VisitorDataPage() {
  const [kind, setKind] = useState<Kind>("email");
  const [value, setValue] = useState("");
  const [visitor, setVisitor] = useState<Visitor | null>(null);
  const [receipt, setReceipt] = useState<ErasureReceipt | null>(null);
  const find = () => {
    setReceipt(null);
    setVisitor(value.trim() === "" ? null : { kind, value: value.trim() });
  };
  return (
    <Page title="Visitor data" description="Find, export and erase what is stored about a visitor, across all agents.">
      <form
        className="mb-8 grid items-end gap-3 sm:grid-cols-[12rem_minmax(0,1fr)_auto]"
        onSubmit={(event) => {
          event.preventDefault();
          find();
        }}
      >
        <Select label="Find by" value={kind} onChange={setKind} options={identifierOptions} />
        <TextField label="Visitor" autoComplete="off" value={value} onChange={setValue} />
        <Button type="submit" variant="main" disabled={value.trim() === ""}>
          Find
        </Button>
      </form>
      {receipt ? <Receipt receipt={receipt} /> : visitor && <Found visitor={visitor} onErase={setReceipt} />}
    </Page>
  );
}

/** The stored data, with the actions that export and erase it. */
function Found({ visitor, onErase }: { visitor: Visitor; onErase: (receipt: ErasureReceipt) => void }) {
  const [isConfirming, setIsConfirming] = useState(false);
  const input = { [visitor.kind]: visitor.value };
  const { data, error, refetch } = useQuery(endpointQuery("getVisitorData", input));
  const erase = useEndpointMutation("eraseVisitor");
  if (error) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <SkeletonRows count={6} label="Looking for the visitor's data" />;
  const total = Object.values(data.counts).reduce((sum, count) => sum + count, 0);
  if (total === 0) return <p className="text-soft">Nothing is stored about this visitor.</p>;
  const confirm = async () => {
    try {
      const receipt = await erase.mutateAsync({ body: input });
      setIsConfirming(false);
      await refresh("listConversations", "listSubmissions", "getVisitorData");
      onErase(receipt);
    } catch (problem) {
      // The mutation shows the error as a toast.
      if (!(problem instanceof FoyerError)) throw problem;
    }
  };
  return (
    <Section title="What is stored">
      <Counts {...data} />
      <div className="flex flex-wrap gap-2">
        <a
          href={`/visitors/export?${new URLSearchParams(input)}`}
          download="visitor-data.zip"
          className="inline-flex min-h-9 items-center rounded-lg border border-line bg-raised px-3 py-1.5 hover:bg-hover pointer-coarse:min-h-11"
        >
          Export as ZIP
        </a>
        <Button variant="danger" onClick={() => setIsConfirming(true)}>
          Erase visitor
        </Button>
      </div>
      <ConfirmDialog
        title="Erase this visitor's data?"
        action="Erase visitor"
        typed={visitor.value}
        isOpen={isConfirming}
        isBusy={erase.isPending}
        onClose={() => setIsConfirming(false)}
        onConfirm={confirm}
      >
        <p>
          This permanently deletes {pluralize(data.counts.conversations, "conversation")} and{" "}
          {pluralize(data.counts.submissions, "form submission")}, with everything that belongs to them. This cannot be
          undone.
        </p>
      </ConfirmDialog>
    </Section>
  );
}

/** The proof of an erasure, which contains nothing about the visitor. */
function Receipt({ receipt }: { receipt: ErasureReceipt }) {
  return (
    <Section title="Erased" description="The receipt is also in the audit log.">
      <dl className="grid gap-3">
        <div>
          <dt className="font-medium">Receipt</dt>
          <dd className="break-all text-soft">{receipt.id}</dd>
        </div>
        {receipt.erasedAt !== null && (
          <div>
            <dt className="font-medium">Erased at</dt>
            <dd className="text-soft">
              <Time at={receipt.erasedAt} isExact />
            </dd>
          </div>
        )}
        <div>
          <dt className="font-medium">Hash of the identifier</dt>
          <dd className="break-all text-soft">{receipt.identifierHash}</dd>
        </div>
      </dl>
      <Counts {...receipt} />
    </Section>
  );
}

function Counts({ counts, receivers }: VisitorData) {
  return (
    <>
      <dl className="grid max-w-md grid-cols-[minmax(0,1fr)_auto] gap-x-6 gap-y-1">
        {(Object.entries(labels) as Array<[VisitorDataKind, string]>).map(([kind, label]) => (
          <div key={kind} className="col-span-2 grid grid-cols-subgrid border-b border-line py-1">
            <dt>{label}</dt>
            <dd className="text-end tabular-nums">{counts[kind].toLocaleString()}</dd>
          </div>
        ))}
      </dl>
      {receivers.length > 0 && (
        <div>
          <h3 className="font-medium">Sent to</h3>
          <p className="mb-1 text-soft">
            Foyer can't erase what these receivers already have. Ask each of them to erase it.
          </p>
          <ul className="list-disc ps-5">
            {receivers.map((receiver) => (
              <li key={receiver} className="break-all">
                {receiver}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
