import type { Secret } from "@foyer/contract";
import { isDuplicate } from "../../db/database-errors.ts";
import type { Db } from "../../db/open.ts";
import type { SecretRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { createSecretStore } from "./store.ts";

export type SecretInput = { value: string; hosts?: string[] | null };

/** `mayUseUnbound` says whether the request may use secrets that are not bound to hosts. */
type SecretUse = { host: string; mayUseUnbound: boolean };

export type SecretService = ReturnType<typeof createSecretService>;

/** The secrets that HTTP tools reference as `{{NAME}}`. Members can write them, but only tool requests read them. */
export function createSecretService({ db, encryption }: Pick<Deps, "db" | "encryption">) {
  const store = createSecretStore(db);
  const context = (organizationId: string, name: string) => `${organizationId}/secret/${name}`;

  const toRow = (organizationId: string, name: string, input: SecretInput): SecretRow => {
    const now = Date.now();
    const value = encryption.encrypt(input.value, context(organizationId, name));
    return { organizationId, name, value, hosts: JSON.stringify(readHosts(input)), createdAt: now, updatedAt: now };
  };

  return {
    /** Paged, because an organization can have any number of secrets. */
    async *list(organizationId: string): AsyncGenerator<Secret[]> {
      for await (const rows of store.pages(organizationId)) yield rows.map(toSecret);
    },
    /** @throws 409 when the name is taken */
    async create(organizationId: string, name: string, input: SecretInput): Promise<Secret> {
      const row = toRow(organizationId, name, input);
      await store.insert(row).catch((error) => {
        throw isDuplicate(error) ? new AppError("CONFLICT", `There is already a secret named ${name}.`) : error;
      });
      return toSecret(row);
    },
    async put(organizationId: string, name: string, input: SecretInput): Promise<Secret> {
      return toSecret(await store.put(toRow(organizationId, name, input)));
    },
    async delete(organizationId: string, name: string): Promise<void> {
      if (!(await store.delete(organizationId, name))) throw notFound("Secret");
    },
    /**
     * Returns the names that are not bound to hosts: secrets without hosts, and names without a secret yet. Within a
     * transaction, `executor` must be that transaction, because SQLite has one connection.
     */
    async unbound(organizationId: string, names: readonly string[], executor: Db = db): Promise<string[]> {
      if (names.length === 0) return [];
      const { named } = createSecretStore(executor);
      const bound = new Set((await named(organizationId, names)).filter(isBound).map(({ name }) => name));
      return names.filter((name) => !bound.has(name));
    },
    /** The hosts of those secrets that exist, by name. A secret without hosts has an empty list. */
    async hostsOf(organizationId: string, names: readonly string[]): Promise<Map<string, string[]>> {
      if (names.length === 0) return new Map();
      const rows = await store.named(organizationId, names);
      return new Map(rows.map(({ name, hosts }) => [name, JSON.parse(hosts)]));
    },
    /**
     * Returns the secret's value for a request to this host, or null when the secret does not exist or may not be sent
     * there.
     */
    async valueFor(organizationId: string, name: string, { host, mayUseUnbound }: SecretUse): Promise<string | null> {
      const row = await store.get(organizationId, name);
      if (!row) return null;
      const allowed: string[] = JSON.parse(row.hosts);
      const isAllowed = allowed.length > 0 ? allowed.includes(host.toLowerCase()) : mayUseUnbound;
      if (!isAllowed) return null;
      return encryption.decrypt(row.value, context(organizationId, name));
    },
  };
}

function isBound({ hosts }: SecretRow): boolean {
  return hosts !== "[]";
}

/** The hosts in lower case. @throws 400 with the path of the first invalid host */
export function readHosts({ hosts }: Pick<SecretInput, "hosts">): string[] {
  return (hosts ?? []).map((value, index) => {
    const host = URL.parse(`https://${value}`)?.host;
    if (host !== value.toLowerCase()) throw invalid(`hosts.${index}`, hostMessage, "format");
    return host;
  });
}

/** `127.0.0.1` does not cover `127.0.0.1:8080`, so the message explains when a port is part of the host. */
const hostMessage =
  "must be a host such as api.example.com. Add the port only if it is not the default one (api.example.com:8443)";

function toSecret({ name, hosts, createdAt, updatedAt }: SecretRow): Secret {
  const iso = (at: number) => new Date(at).toISOString();
  return { name, hosts: JSON.parse(hosts), createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
}
