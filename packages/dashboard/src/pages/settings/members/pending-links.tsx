import { useQuery } from "@tanstack/react-query";
import { Section } from "../../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";
import { CopyLink } from "./copy-link.tsx";

const linkLabels = { "sign-in": "Sign in", "password-reset": "Reset password" } as const;

/** Links that could not be emailed. Opening one signs in as that user, so only owners see them. */
export function PendingLinks({ sendsMail }: { sendsMail: boolean }) {
  // Refetched every 10 seconds, because the user who requested a link is waiting for it.
  const { data, error, refetch } = useQuery({
    ...endpointQuery("listPendingLinks"),
    enabled: !sendsMail,
    refetchInterval: 10_000,
  });
  if (sendsMail) return null;
  return (
    <Section
      title="Undelivered sign-in links"
      description="Send each link only to the person it is for. Anyone who opens it is signed in as them."
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={2} label="Loading links" />}
      {data?.length === 0 && (
        <p className="text-soft">
          No links. A server that only listens on its own machine writes them to its log instead.
        </p>
      )}
      {data && data.length > 0 && (
        <Table
          label="Undelivered sign-in links"
          head={
            <>
              <Th>For</Th>
              <Th>Purpose</Th>
              <Th className="hidden sm:table-cell">Requested</Th>
              <Th className="hidden sm:table-cell">Expires</Th>
              <ActionsHeader />
            </>
          }
        >
          {data.map(({ kind, email, url, createdAt, expiresAt }) => (
            <Tr key={url}>
              <Td className="min-w-32">{email}</Td>
              <Td>{linkLabels[kind]}</Td>
              <Td className="hidden text-soft sm:table-cell">
                <Time at={createdAt} />
              </Td>
              <Td className="hidden text-soft sm:table-cell">
                <Time at={expiresAt} />
              </Td>
              <ActionsCell>
                <CopyLink url={url} whose={email} />
              </ActionsCell>
            </Tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
