import { useQuery } from "@tanstack/react-query";
import { Section } from "../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { ask } from "../../data/queries.ts";
import { ActCell, ActHead } from "./act-cell.tsx";
import { CopyLink } from "./copy-link.tsx";

const kinds = { "sign-in": "Sign in", "password-reset": "New password" } as const;

/** Links that a server without mail could not send. Whoever opens one acts as its person, so only owners see them. */
export function PendingLinks({ sendsMail }: { sendsMail: boolean }) {
  // Whoever asked for one is waiting for it.
  const { data, error, refetch } = useQuery({
    ...ask("listPendingLinks"),
    enabled: !sendsMail,
    refetchInterval: 10_000,
  });
  if (sendsMail) return null;
  return (
    <Section
      title="Links that could not be mailed"
      description="Hand each to its person and to nobody else: whoever opens it can act as them."
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={2} label="Loading links" />}
      {data?.length === 0 && (
        <p className="text-soft">
          None at the moment. A server that only its own machine can reach writes them to its log instead.
        </p>
      )}
      {data && data.length > 0 && (
        <Table
          label="Links that could not be mailed"
          head={
            <>
              <Th>For</Th>
              <Th>To</Th>
              <Th className="hidden sm:table-cell">Asked for</Th>
              <Th className="hidden sm:table-cell">Until</Th>
              <ActHead />
            </>
          }
        >
          {data.map(({ kind, email, url, createdAt, expiresAt }) => (
            <Tr key={url}>
              <Td className="min-w-32">{email}</Td>
              <Td>{kinds[kind]}</Td>
              <Td className="hidden text-soft sm:table-cell">
                <Time at={createdAt} />
              </Td>
              <Td className="hidden text-soft sm:table-cell">
                <Time at={expiresAt} />
              </Td>
              <ActCell>
                <CopyLink url={url} whose={email} />
              </ActCell>
            </Tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
