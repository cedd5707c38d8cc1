import type { ColumnType } from "kysely";
import type { Instant } from "./column-types.ts";

/** PostgreSQL returns a `Date`, SQLite the stored ISO string. */
type StoredDate = ColumnType<string | Date, string, string>;

/** A user's sign-in in one browser. */
export type SessionRow = {
  id: string;
  userId: string;
  /** the value in the signed cookie */
  token: string;
  expiresAt: StoredDate;
  ipAddress: string | null;
  userAgent: string | null;
  /** the selected organization, one of the user's */
  activeOrganizationId: string | null;
  createdAt: StoredDate;
  updatedAt: StoredDate;
};

/** A pending link or redirect. Only better-auth writes it. `identifier` is a hash. */
export type VerificationRow = {
  id: string;
  identifier: string;
  value: string;
  expiresAt: StoredDate;
  createdAt: StoredDate;
  updatedAt: StoredDate;
};

export type InvitationRow = {
  id: string;
  organizationId: string;
  email: string;
  role: string;
  status: "pending" | "accepted" | "canceled";
  expiresAt: StoredDate;
  inviterId: string;
  createdAt: StoredDate;
};

/** A link that could not be emailed because no mail server is configured. */
export type PendingLinkRow = {
  id: string;
  kind: "sign-in" | "password-reset";
  email: string;
  /** encrypted */
  url: string;
  createdAt: Instant;
  expiresAt: Instant;
};
