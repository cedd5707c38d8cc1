import type { FastifyReply } from "fastify";
import Type from "typebox";
import type { Config } from "../config.ts";
import type { App } from "../http/app.ts";
import type { MailRecipients } from "../tools/form/mail-recipients.ts";
import { createFormPagePolicy } from "./form-page-policy.ts";
import { createPageFiles } from "./page-files.ts";

const policy = createFormPagePolicy();

/**
 * The page of the link that confirms a mail recipient. Opening it changes nothing, because mail scanners open links.
 * Its button sends a POST.
 */
export function confirmRecipientRoutes(app: App, config: Pick<Config, "basePath">, recipients: MailRecipients): void {
  const files = createPageFiles(config);
  const url = "/mail-recipients/confirm";
  const options = {
    config: { access: "public" as const },
    schema: { hide: true, querystring: Type.Object({ token: Type.String({ maxLength: 100 }) }) },
  };

  async function show(
    reply: FastifyReply,
    name: string,
    { status, values }: { status: number; values: Record<string, string> },
  ) {
    return reply
      .status(status)
      .headers({ "content-security-policy": policy, "cache-control": "no-store" })
      .type("text/html; charset=utf-8")
      .send(await files.page(name, values));
  }

  app.get(url, options, async ({ query: { token } }, reply) => {
    const address = await recipients.addressFor(token);
    if (address === undefined) return show(reply, "notice.html", { status: 404, values: expired });
    return show(reply, "confirm-link.html", {
      status: 200,
      values: {
        title: "Receive form submissions?",
        text: `Confirm to let the forms on this server send submissions to ${address}. If you weren't expecting this request, close this page.`,
        button: "Confirm this address",
        action: `${url}?${new URLSearchParams({ token })}`,
      },
    });
  });
  app.post(url, options, async ({ query: { token } }, reply) => {
    const address = await recipients.confirm(token);
    if (address === undefined) return show(reply, "notice.html", { status: 404, values: expired });
    const text = `Form submissions can now be sent to ${address}. You can close this page.`;
    return show(reply, "notice.html", { status: 200, values: { title: "Address confirmed", text } });
  });
}

const expired = {
  title: "This link has expired",
  text: "Ask the person who added your address to send a new one.",
};
