import * as contract from "@foyer/contract";
import type { FastifyReply } from "fastify";
import { toLandingAddress } from "../auth/sessions/same-origin.ts";
import type { Config } from "../config.ts";
import type { App } from "../http/app.ts";
import { createFormPagePolicy } from "./form-page-policy.ts";
import type { PageFiles } from "./page-files.ts";

type Page = { title: string; text: string; button: string; action: string };

/**
 * The pages of one-time links. Mail scanners follow every link with GET or HEAD, so opening a link only shows a button.
 * The button sends a POST to the same URL, which uses up the link.
 */
export function linkRoutes(app: App, { baseUrl }: Pick<Config, "baseUrl">, files: PageFiles): void {
  // After signing in, the server redirects to BASE_URL. If the page was opened under another name of this machine, this
  // is a different origin.
  const policy = createFormPagePolicy(new URL(baseUrl).origin);
  const show = async (reply: FastifyReply, page: Page) =>
    reply
      .headers({
        "content-security-policy": policy,
        "cache-control": "no-store",
        // With `no-referrer`, browsers send `Origin: null` with the form, which the same-origin check rejects.
        "referrer-policy": "same-origin",
      })
      .type("text/html; charset=utf-8")
      // The contract declares a string, which the serializer would quote.
      .serializer((html) => String(html))
      .send(await files.page("confirm-link.html", page));

  app.route({
    ...contract.followMagicLink,
    handler: async (request, reply) => {
      toLandingAddress(request.query.callbackUrl, { baseUrl });
      return show(reply, {
        title: "Sign in",
        text: "Continue to sign in on this browser. The link works once.",
        button: "Sign in",
        action: `${contract.confirmMagicLink.url}?${new URLSearchParams(request.query)}`,
      });
    },
  });
  app.route({
    ...contract.verifyEmail,
    handler: async (request, reply) =>
      show(reply, {
        title: "Confirm your email address",
        text: "Didn't create this account? Close this page.",
        button: "Confirm email address",
        action: `${contract.confirmEmail.url}?${new URLSearchParams(request.query)}`,
      }),
  });
}
