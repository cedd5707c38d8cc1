import { useQuery } from "@tanstack/react-query";
import { ask, useCall } from "../../../data/queries.ts";
import type { MailFacts } from "./recipients.tsx";

/** Loads who can be emailed. */
export function useMailFacts(): MailFacts {
  const create = useCall("createMailRecipient", {
    changes: ["listMailRecipients"],
    done: ({ address }) => `Confirmation link sent to ${address}`,
  });
  const resend = useCall("sendMailRecipientLink", { done: ({ address }) => `Confirmation link sent to ${address}` });
  return {
    members: useQuery(ask("listMembers")).data ?? null,
    addresses: useQuery(ask("listMailRecipients")).data ?? null,
    userId: useQuery(ask("getSession")).data?.user.id ?? null,
    sendsMail: useQuery(ask("getSignInOptions")).data?.sendsMail !== false,
    addAddress: async (address) => (await create.mutateAsync({ body: { address } })).address,
    // The notice shows an error.
    resendLink: ({ id }) => resend.mutateAsync({ id }).catch(() => {}),
  };
}
