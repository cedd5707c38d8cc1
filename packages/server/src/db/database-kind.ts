export type DatabaseKind = "sqlite" | "postgres";

/** The location of the data: an SQLite file or a PostgreSQL URL. */
export type DatabaseAddress = { kind: "sqlite"; file: string } | { kind: "postgres"; url: string };
