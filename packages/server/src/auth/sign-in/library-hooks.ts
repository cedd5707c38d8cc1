import type { BetterAuthOptions } from "better-auth";
import { APIError } from "better-auth/api";
import type { Config } from "../../config.ts";
import type { Db } from "../../db/open.ts";
import type { ApiKeys } from "../api-keys/api-keys.ts";
import { defaultOrganizationOf } from "../members/default-organization.ts";
import { canSignUp } from "../members/sign-up-policy.ts";
import { deleteKeysMadeBy, purgeUnverified } from "../members/unverified-user.ts";
import { captureHash } from "./pending-hash.ts";

type Parts = { db: Db; config: Config; keys: ApiKeys };
type UserOptions = NonNullable<BetterAuthOptions["user"]>;
type DatabaseHooks = NonNullable<BetterAuthOptions["databaseHooks"]>;

/** What we decide where better-auth asks: who may come, what a proof of an address ends, and where a session begins. */
export const signInHooks = {
  user: ({ db, keys }: Parts): Pick<UserOptions, "validateUserInfo"> => ({
    async validateUserInfo({ user, source }) {
      // The provider vouches for the address, else we were not asked. Who used it without a proof may be a stranger.
      if (source.action !== "link-account" || typeof user.id !== "string") return;
      await purgeUnverified(db, user.id);
      keys.forgetKnown();
    },
  }),

  database: ({ db, config, keys }: Parts): DatabaseHooks => ({
    user: {
      create: {
        before: async ({ email, emailVerified }, context) => {
          const proof = context?.path === "/sign-up/email" ? "none" : emailVerified ? "address" : "refused";
          if (await canSignUp(db, config, email, proof)) return;
          throw new APIError("FORBIDDEN", { code: "sign_up_closed", message: "Sign-up is closed on this server." });
        },
      },
      update: {
        // A link to the mailbox proved an address: better-auth ends passwords and sessions of before, keys are ours.
        after: async ({ id }, context) => {
          if (context?.path !== "/magic-link/verify") return;
          await deleteKeysMadeBy(db, id);
          keys.forgetKnown();
        },
      },
    },
    session: {
      create: {
        before: async (session) => ({
          data: { ...session, activeOrganizationId: await defaultOrganizationOf(db, config, session.userId) },
        }),
      },
    },
    account: {
      create: {
        // We never call a provider in somebody's name, so there is nothing to keep.
        before: async (account) => {
          if (captureHash(account)) return false;
          return { data: { ...account, accessToken: null, refreshToken: null, idToken: null } };
        },
      },
      update: { before: async (account) => !captureHash(account) },
    },
  }),
};
