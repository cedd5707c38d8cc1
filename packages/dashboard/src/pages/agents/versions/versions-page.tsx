import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Page, Section } from "../../../components/page.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { CompareVersions } from "./compare-versions.tsx";
import { History } from "./history.tsx";
import { PublishingMode } from "./publishing-mode.tsx";
import { RolloutSection } from "./rollout-section.tsx";

const route = getRouteApi("/shell/agents/$agentId/versions");

/** How changes of an agent reach visitors, and what visitors got before. */
export function VersionsPage() {
  const { agentId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  return (
    <Page
      isWide
      title="Versions"
      description={`A version is ${agent.name} with its tools, triggers and images, as visitors get them. Documents, allowed sites, retention and budgets are not part of it and change at once.`}
    >
      <Section title="Publishing">
        <PublishingMode key={agentId} agent={agent} />
      </Section>
      <RolloutSection key={agentId} agent={agent} />
      <History
        agent={agent}
        page={search.page ?? 1}
        onGo={(page) => navigate({ search: page === 1 ? {} : { page } })}
        onCompare={(from, to) => navigate({ search: { ...search, from, to }, resetScroll: false })}
      />
      {search.from && search.to && (
        <CompareVersions
          agent={agent}
          from={search.from}
          to={search.to}
          onChange={(from, to) => navigate({ search: { ...search, from, to }, replace: true, resetScroll: false })}
          onClose={() => navigate({ search: search.page ? { page: search.page } : {}, resetScroll: false })}
        />
      )}
    </Page>
  );
}
