import { useQuery } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { Section } from "../../../components/page.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import type { Provider } from "../models/provider-row.tsx";
import { TestOutcome, useProviderTest } from "../models/provider-test-outcome.tsx";

/** A test of each connected model provider. Nothing is shown while none is connected. */
export function ProviderTests() {
  const { data: providers = [] } = useQuery(endpointQuery("listProviders"));
  const connected = providers.filter(({ source }) => source !== null);
  if (connected.length === 0) return null;
  return (
    <Section
      title="Model providers"
      description="A test sends a short message to the provider. Afterwards, you can read the requests and responses."
    >
      <ul className="border-t border-line">
        {connected.map((provider) => (
          <ProviderTest key={provider.provider} {...provider} />
        ))}
      </ul>
    </Section>
  );
}

function ProviderTest({ provider, label }: Provider) {
  const test = useProviderTest(provider);
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 border-b border-line py-3 last:border-b-0">
      <div className="min-w-0 flex-1 basis-56">
        <h3 className="font-medium">{label}</h3>
        <TestOutcome test={test} />
      </div>
      <Button isBusy={test.isPending} aria-label={`Test ${label}`} onClick={() => test.mutate()}>
        Test
      </Button>
    </li>
  );
}
