import type { Instant, Json } from "./column-types.ts";

/** The tables about erased visitors, see visitors/. */
export type VisitorTables = {
  visitorErasures: VisitorErasureRow;
  erasureLedger: ErasureLedgerRow;
  sentHosts: SentHostRow;
};

/** The receipt of an erasure. It contains nothing that could identify the visitor. */
export type VisitorErasureRow = {
  id: string;
  organizationId: string;
  erasedAt: Instant;
  /** keyed hash of the identifier that the erasure was requested for */
  identifierHash: string;
  /** deleted rows by kind */
  counts: Json;
  /** receivers to which the visitor's data had been sent */
  receivers: Json;
};

/** Erasures, recorded so that they can be repeated on a restored backup. */
export type ErasureLedgerRow = {
  organizationId: string;
  /** `conversation` is one conversation without its submissions; the others erase everything they identify */
  kind: "userId" | "email" | "sessionId" | "conversationId" | "conversation";
  /** keyed hash of the identifier */
  hash: string;
  /** data from after this time belongs to a visitor who came back */
  erasedAt: Instant;
};

/** A host that received data of a conversation or a submission by a delivery that has been deleted since. */
type SentHostRow = {
  conversationId: string | null;
  submissionId: string | null;
  host: string;
};
