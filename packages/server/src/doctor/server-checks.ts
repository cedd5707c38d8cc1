import { statfs } from "node:fs/promises";
import type { Check } from "@foyer/contract";
import type { Deps } from "../deps.ts";
import { isLoopback } from "../loopback.ts";
import type { DoctorStore } from "./store.ts";

const SLOW_MS = 20;
const MB = 1024 * 1024;
const LITTLE_MB = 1_024;
const TOO_LITTLE_MB = 100;

export async function checkMail({ mailer, config }: Pick<Deps, "mailer" | "config">): Promise<Check> {
  const check = { id: "mail", title: "Email" } as const;
  if (!mailer.isConfigured) {
    const place = isLoopback(config.host) ? "written to the server log" : "shown to owners under Settings > Members";
    const detail = `Email is not configured. Sign-in links are ${place}, and no one is notified of failed deliveries.`;
    return { ...check, state: "warning", detail, fix: "Set SMTP_URL (and FOYER_MAIL_FROM if needed)." };
  }
  const problem = await mailer.check();
  if (problem === null) return { ...check, state: "ok", detail: "The mail server accepts email.", fix: null };
  return { ...check, state: "failure", detail: problem, fix: "Check SMTP_URL. The server log may have more details." };
}

export function checkSecret({ config }: Pick<Deps, "config">): Check {
  const check = { id: "secret", title: "FOYER_SECRET", state: "ok", fix: null } as const;
  const generated = "Generated and stored in the data directory. The backup command includes it.";
  return { ...check, detail: config.secret === null ? generated : "Set in the environment." };
}

export async function checkDatabase({ databaseKind }: Pick<Deps, "databaseKind">, store: DoctorStore): Promise<Check> {
  const check = { id: "database", title: "Database" } as const;
  const ms = await store.pingMs();
  const name = databaseKind === "sqlite" ? "SQLite" : "PostgreSQL";
  const detail = `${name} responds in ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms.`;
  if (ms <= SLOW_MS) return { ...check, state: "ok", detail, fix: null };
  return {
    ...check,
    state: "warning",
    detail,
    fix: "Every request waits for several queries. Run the server closer to the database.",
  };
}

export async function checkDisk({ config, databaseKind }: Pick<Deps, "config" | "databaseKind">): Promise<Check> {
  const check = { id: "disk", title: "Disk space" } as const;
  if (databaseKind === "postgres") {
    return {
      ...check,
      state: "ok",
      detail: "The data is in PostgreSQL. Foyer cannot check the disk of the database server.",
      fix: null,
    };
  }
  const { bavail, bsize } = await statfs(config.dataDir);
  return judgeDisk((bavail * bsize) / MB);
}

/** @param free the free space on the data directory's disk, in MB */
export function judgeDisk(free: number): Check {
  const check = { id: "disk", title: "Disk space" } as const;
  const detail = `${free >= 10_240 ? `${Math.floor(free / 1_024)} GB` : `${Math.floor(free)} MB`} are free.`;
  if (free >= LITTLE_MB) return { ...check, state: "ok", detail, fix: null };
  const fix = "Free up space on the disk of the data directory. When it is full, nothing can be stored.";
  return { ...check, state: free < TOO_LITTLE_MB ? "failure" : "warning", detail, fix };
}
