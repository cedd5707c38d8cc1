import { createECDH } from "node:crypto";
import type { ServerKeyRow } from "../../db/tables/notices.ts";
import type { Deps } from "../../deps.ts";

/** The key pair that identifies this server to push services. `privateKey` is the scalar. Both are base64url. */
export type PushKeyPair = { publicKey: string; privateKey: string };

const NAME = "vapid";

/**
 * Creates or reads the key pair for Web Push. There is one per database, because browsers subscribe with the public key
 * and reject messages that another key signed.
 * @returns a function that reads the key pair
 */
export function createPushKeys({ db, encryption }: Pick<Deps, "db" | "encryption">): () => Promise<PushKeyPair> {
  const query = db.selectFrom("serverKeys").selectAll().where("name", "=", NAME);
  let cachedKeys: Promise<PushKeyPair> | null = null;

  async function load(): Promise<PushKeyPair> {
    const row = (await query.executeTakeFirst()) ?? (await create());
    return { publicKey: row.publicKey, privateKey: encryption.decrypt(row.privateKey, NAME) };
  }

  /** Another process may create a key pair at the same time. The first one is used. */
  async function create(): Promise<ServerKeyRow> {
    const pair = createECDH("prime256v1");
    pair.generateKeys();
    const row: ServerKeyRow = {
      name: NAME,
      publicKey: pair.getPublicKey("base64url"),
      privateKey: encryption.encrypt(pair.getPrivateKey("base64url"), NAME),
      createdAt: Date.now(),
    };
    await db
      .insertInto("serverKeys")
      .values(row)
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
    return query.executeTakeFirstOrThrow();
  }

  return () => {
    cachedKeys ??= load().catch((error: unknown) => {
      cachedKeys = null;
      throw error;
    });
    return cachedKeys;
  };
}
