import { useQuery } from "@tanstack/react-query";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import type { MailFacts } from "./recipients.tsx";

/** Loads the people who can be emailed. */
export function useMailFacts(): MailFacts {
  const create = useEndpointMutation("createMailRecipient", {
    changes: ["listMailRecipients"],
    done: ({ address }) => `Confirmation link sent to ${address}`,
  });
  const resend = useEndpointMutation("sendMailRecipientLink", {
    done: ({ address }) => `Confirmation link sent to ${address}`,
  });
  return {
    members: useQuery(endpointQuery("listMembers")).data ?? null,
    addresses: useQuery(endpointQuery("listMailRecipients")).data ?? null,
    userId: useQuery(endpointQuery("getSession")).data?.user.id ?? null,
    sendsMail: useQuery(endpointQuery("getSignInOptions")).data?.sendsMail !== false,
    addAddress: async (address) => (await create.mutateAsync({ body: { address } })).address,
    // A toast shows the error.
    resendLink: ({ id }) => resend.mutateAsync({ id }).catch(() => {}),
  };
}
