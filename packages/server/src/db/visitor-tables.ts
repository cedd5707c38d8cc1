import type { Instant, Json } from "./column-types.ts";

/** The tables about erased visitors, see visitors/. */
export type VisitorTables = {
  visitorErasures: VisitorErasureRow;
  erasureLedger: ErasureLedgerRow;
};

/** The receipt of an erasure. It contains nothing by which the visitor could be recognized. */
export type VisitorErasureRow = {
  id: string;
  organizationId: string;
  erasedAt: Instant;
  /** keyed hash of the identifier by which the visitor was found */
  identifierHash: string;
  /** deleted rows by kind */
  counts: Json;
  /** who had been sent the visitor's data */
  receivers: Json;
};

/** What has been erased, so that it can be erased again from a restored backup. */
export type ErasureLedgerRow = {
  organizationId: string;
  /** `conversation` is one conversation without its submissions; the others erase everything they identify */
  kind: "userId" | "email" | "sessionId" | "conversationId" | "conversation";
  /** keyed hash of the identifier */
  hash: string;
  /** data from after this time belongs to a visitor who came back */
  erasedAt: Instant;
};
