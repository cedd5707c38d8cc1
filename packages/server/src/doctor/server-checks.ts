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
  const check = { id: "mail", title: "Mail" } as const;
  if (!mailer.isConfigured) {
    const where = isLoopback(config.host) ? "the server's log" : "Settings, for owners";
    const detail = `No mail is sent. Links to sign in stand in ${where}; nobody is told of failed deliveries.`;
    return { ...check, state: "warning", detail, fix: "Set SMTP_URL, and FOYER_MAIL_FROM if need be." };
  }
  const problem = await mailer.check();
  if (problem === null) return { ...check, state: "ok", detail: "The mail server takes our mails.", fix: null };
  return { ...check, state: "failure", detail: problem, fix: "Check SMTP_URL; the server's log may say more." };
}

export function checkSecret({ config }: Pick<Deps, "config">): Check {
  const check = { id: "secret", title: "FOYER_SECRET", state: "ok", fix: null } as const;
  const generated = "It was generated, and is in the data directory. `backup` keeps it together with the database.";
  return { ...check, detail: config.secret === null ? generated : "It comes from the environment." };
}

export async function checkDatabase({ databaseKind }: Pick<Deps, "databaseKind">, store: DoctorStore): Promise<Check> {
  const check = { id: "database", title: "Database" } as const;
  const ms = await store.pingMs();
  const name = databaseKind === "sqlite" ? "SQLite" : "PostgreSQL";
  const detail = `${name} answers in ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms.`;
  if (ms <= SLOW_MS) return { ...check, state: "ok", detail, fix: null };
  return {
    ...check,
    state: "warning",
    detail,
    fix: "Every call waits for several answers. Move the two closer together.",
  };
}

export async function checkDisk({ config, databaseKind }: Pick<Deps, "config" | "databaseKind">): Promise<Check> {
  const check = { id: "disk", title: "Disk space" } as const;
  if (databaseKind === "postgres") {
    return {
      ...check,
      state: "ok",
      detail: "The data is in PostgreSQL, whose disk cannot be seen from here.",
      fix: null,
    };
  }
  const { bavail, bsize } = await statfs(config.dataDir);
  return judgeDisk((bavail * bsize) / MB);
}

/** @param free what is left of the data directory's disk, in MB */
export function judgeDisk(free: number): Check {
  const check = { id: "disk", title: "Disk space" } as const;
  const detail = `${free >= 10_240 ? `${Math.floor(free / 1_024)} GB` : `${Math.floor(free)} MB`} are free.`;
  if (free >= LITTLE_MB) return { ...check, state: "ok", detail, fix: null };
  const fix = "Make room on the data directory's disk: nothing can be kept when it is full.";
  return { ...check, state: free < TOO_LITTLE_MB ? "failure" : "warning", detail, fix };
}
