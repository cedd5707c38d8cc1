/**
 * True when the database itself has failed (unreachable, full, not responding, demoted to a standby), as opposed to a
 * mistake in the query.
 */
export function isUnavailable(error: unknown): boolean {
  const code = readErrorCode(error);
  if (/^(08|53|57P|58|25006)/.test(code)) return true;
  if (/^SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY)/.test(code)) return true;
  if (/^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/.test(code)) return true;
  // PostgreSQL's socket file is missing for a moment while it restarts (ENOENT). A network can also be unreachable.
  if (error instanceof Error && "syscall" in error && error.syscall === "connect") return true;
  // node-postgres sets no code on these errors.
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|^timeout expired$|Connection terminated|is not queryable|Query read timeout/.test(
      error.message,
    )
  );
}

/** True when the database has found that its stored data is damaged. An index that is stored as a table is excluded. */
export function isDamaged(error: unknown): boolean {
  const code = readErrorCode(error);
  if (code === "SQLITE_CORRUPT_VTAB") return false;
  return /^(SQLITE_(CORRUPT|NOTADB)|XX00[12])/.test(code);
}

/** True when the query was sent after the database was closed. */
export function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message === "driver has already been destroyed";
}

/** True when the row violates a unique constraint. */
export function isDuplicate(error: unknown): boolean {
  return /^(23505|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY))$/.test(readErrorCode(error));
}

/** True when the row violates a foreign key constraint because the referenced row does not exist. */
export function isMissingReference(error: unknown): boolean {
  return /^(23503|SQLITE_CONSTRAINT_FOREIGNKEY)$/.test(readErrorCode(error));
}

const certificateCodes =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/;

/** Describes an error for the operator. Says how to trust PostgreSQL's certificate when that is the problem. */
export function describeDatabaseError(error: unknown): string {
  const message = error instanceof Error ? error.message || String(error.cause) : String(error);
  if (!certificateCodes.test(readErrorCode(error))) return message;
  // Node adds a hint about its own command line, which the operator of Foyer does not see.
  return `${message.split(";", 1)[0]}. Add sslrootcert=/path/to/ca.pem to DATABASE_URL to trust the authority of the server's certificate, or sslmode=no-verify to encrypt the connection without checking the certificate.`;
}

function readErrorCode(error: unknown) {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
