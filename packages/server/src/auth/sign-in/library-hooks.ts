import type { BetterAuthOptions } from "better-auth";
import { APIError } from "better-auth/api";
import type { Config } from "../../config.ts";
import type { Db } from "../../db/open.ts";
import type { ApiKeys } from "../api-keys/api-keys.ts";
import { ensureDefaultOrganization } from "../members/default-organization.ts";
import { canSignUp } from "../members/sign-up-policy.ts";
import { deleteKeysCreatedBy, purgeUnverified } from "../members/unverified-user.ts";
import { captureHash } from "./pending-hash.ts";

type Parts = { db: Db; config: Config; keys: ApiKeys };
type UserOptions = NonNullable<BetterAuthOptions["user"]>;
type DatabaseHooks = NonNullable<BetterAuthOptions["databaseHooks"]>;

/**
 * Our decisions in better-auth's hooks: who can sign up, what is invalidated when an address is verified, and in which
 * organization a session starts.
 */
export const signInHooks = {
  user: ({ db, keys }: Parts): Pick<UserOptions, "validateUserInfo"> => ({
    async validateUserInfo({ user, source }) {
      // better-auth calls this only when the provider verified the address. An existing unverified user with this
      // address may be a stranger.
      if (source.action !== "link-account" || typeof user.id !== "string") return;
      await purgeUnverified(db, user.id);
      keys.clearCache();
    },
  }),

  database: ({ db, config, keys }: Parts): DatabaseHooks => ({
    user: {
      create: {
        before: async ({ email, emailVerified }, context) => {
          const proof = context?.path === "/sign-up/email" ? "none" : emailVerified ? "address" : "refused";
          if (await canSignUp(db, config, { email, proof })) return;
          if (proof === "refused" && config.openSignUp) {
            const message = "The sign-in provider does not confirm the email address.";
            throw new APIError("FORBIDDEN", { code: "address_not_confirmed", message });
          }
          throw new APIError("FORBIDDEN", { code: "sign_up_closed", message: "Sign-up is disabled on this server." });
        },
      },
      update: {
        // A magic link has verified the address. better-auth deletes earlier passwords and sessions, but we have to
        // delete the API keys.
        after: async ({ id }, context) => {
          if (context?.path !== "/magic-link/verify") return;
          await deleteKeysCreatedBy(db, id);
          keys.clearCache();
        },
      },
    },
    session: {
      create: {
        before: async (session) => ({
          data: { ...session, activeOrganizationId: await ensureDefaultOrganization(db, config, session.userId) },
        }),
      },
    },
    account: {
      create: {
        // We never call a provider on a user's behalf, so its tokens are not stored.
        before: async (account) => {
          if (captureHash(account)) return false;
          return { data: { ...account, accessToken: null, refreshToken: null, idToken: null } };
        },
      },
      update: { before: async (account) => !captureHash(account) },
    },
  }),
};
