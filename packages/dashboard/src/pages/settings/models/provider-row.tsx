import type { Output } from "@foyer/sdk";
import { Button } from "../../../components/button.tsx";
import { Status } from "../../../components/status.tsx";
import { TestOutcome, useProviderTest } from "./provider-test-outcome.tsx";

export type Provider = Output<"listProviders">[number];

/** A provider, the source of its key, and the result of a connection test. */
export function ProviderRow({
  provider: { provider, label, source, baseUrl },
  onEdit,
  onRemove,
}: {
  provider: Provider;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const test = useProviderTest(provider);
  const edit = source === "account" ? "Change" : source === "environment" ? "Use your own key" : "Connect";
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2 last:border-b-0">
      <div className="min-w-0 flex-1 basis-56">
        <div className="flex flex-wrap items-center gap-x-3">
          <span className="font-medium sm:w-56">{label}</span>
          <span className="text-soft">
            <Source source={source} />
          </span>
        </div>
        {baseUrl && <code className="font-mono text-soft">{baseUrl}</code>}
        <TestOutcome test={test} />
      </div>
      <div className="flex flex-wrap gap-1">
        {source && (
          <Button variant="plain" isBusy={test.isPending} aria-label={`Test ${label}`} onClick={() => test.mutate()}>
            Test
          </Button>
        )}
        {source === "account" && (
          <Button variant="plain" className="text-soft" aria-label={`Remove ${label}`} onClick={onRemove}>
            Remove
          </Button>
        )}
        <Button aria-label={`${edit}: ${label}`} onClick={onEdit}>
          {edit}
        </Button>
      </div>
    </li>
  );
}

function Source({ source }: Pick<Provider, "source">) {
  if (source === "account") return <Status tone="fine">Your own key</Status>;
  if (source === "environment") return <Status tone="fine">From the server configuration</Status>;
  return <Status>Not connected</Status>;
}
