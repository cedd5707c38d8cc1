import { agentLimits } from "@foyer/contract/rules/limits";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { AdminFields } from "../../components/admin-fields.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { Page, Section } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { serverPath, serverUrl } from "../../data/server-address.ts";
import { createPackageCode, embedCode } from "./embed-line.ts";
import { dropEmpty, ListField } from "./list-field.tsx";
import { LoopbackWarning } from "./loopback-warning.tsx";
import { PasteHints } from "./paste-hints.tsx";

const route = getRouteApi("/shell/agents/$agentId/embed");

/** How to embed the agent, which pages may embed it, and what it learns about them. */
export function EmbedPage() {
  const { agentId } = route.useParams();
  return <Embedding key={agentId} />;
}

function Embedding() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const { allowedOrigins, allowedImageHosts, linkHosts, pageQuery } = agent;
  const draft = useDraft({ allowedOrigins, allowedImageHosts, linkHosts, pageQuery });
  const edits = useAgentEdits(agentId, draft);
  const save = useEndpointMutation("updateAgent", { edits, done: "Saved" });
  const { values, change, errorAt } = draft;
  return (
    <Page title="Embed" description={`Add ${agent.name} to your website and choose where it works.`}>
      <form
        ref={draft.form}
        noValidate
        aria-label="Embed"
        onSubmit={(event) => {
          event.preventDefault();
          void draft.submit((_, changed) => {
            const lists = Object.entries(changed).map(([name, texts]) => [name, dropEmpty(texts)]);
            return save.mutateAsync({ id: agentId, body: Object.fromEntries(lists) });
          });
        }}
      >
        <EmbedCodeSection agentId={agentId} />
        <Section title="Where it works">
          <AdminFields>
            <ListField
              label="Allowed sites"
              itemLabel="Site"
              addLabel="Add site"
              max={agentLimits.allowedOrigins}
              placeholder="https://shop.example"
              emptyText="Any site can embed this agent. Add yours to block all others."
              help="Include https:// and leave out the path. www.shop.example and shop.example are different sites. Pages of this server always work."
              values={values.allowedOrigins}
              onChange={(allowedOrigins) => change({ allowedOrigins })}
              errorAt={(index) => errorAt(`allowedOrigins.${index}`)}
            />
          </AdminFields>
          <ListField
            label="Allowed image hosts"
            itemLabel="Host"
            addLabel="Add host"
            max={agentLimits.allowedImageHosts}
            placeholder="images.shop.example"
            emptyText="Images load from any host."
            help="Replies and product cards only load images from these hosts."
            values={values.allowedImageHosts}
            onChange={(allowedImageHosts) => change({ allowedImageHosts })}
            errorAt={(index) => errorAt(`allowedImageHosts.${index}`)}
          />
          <ListField
            label="Allowed link hosts"
            itemLabel="Link host"
            addLabel="Add link host"
            max={agentLimits.linkHosts}
            placeholder="docs.shop.example"
            emptyText="Links work to the hosts that the agent's instructions, allowed sites, tools and documents name."
            help="While the agent has documents, links to hosts that nothing else names are removed from its replies. Subdomains of these hosts are allowed too."
            values={values.linkHosts}
            onChange={(linkHosts) => change({ linkHosts })}
            errorAt={(index) => errorAt(`linkHosts.${index}`)}
          />
        </Section>
        <Section
          title="Page context"
          description="With each message, the widget sends the page's title, language, and address without its query. The agent reads them as information about what the visitor is looking at."
        >
          <ListField
            label="Query parameters"
            itemLabel="Parameter"
            addLabel="Add parameter"
            max={agentLimits.pageQuery}
            placeholder="product"
            emptyText="The query of the address is left out."
            help="Parameters to keep, such as product or utm_campaign. Leave out those with private data, such as the token of a reset link."
            values={values.pageQuery}
            onChange={(pageQuery) => change({ pageQuery })}
            errorAt={(index) => errorAt(`pageQuery.${index}`)}
          />
        </Section>
        <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
      </form>
    </Page>
  );
}

function EmbedCodeSection({ agentId }: { agentId: string }) {
  return (
    <Section
      title="Embed code"
      description="Add this line to your pages. It loads after your page and doesn't touch the rest of it."
      actions={
        <a
          href={serverPath(`/demo/${agentId}`)}
          target="_blank"
          rel="noopener"
          className="inline-flex min-h-9 items-center gap-2 underline underline-offset-2"
        >
          Open demo page <ExternalLink size={14} aria-hidden />
        </a>
      }
    >
      <CopyField label="the line" text={embedCode(agentId)} />
      <LoopbackWarning />
      <PasteHints />
      <div className="grid min-w-0 gap-2">
        <h3 className="font-medium">With a bundler</h3>
        <p className="max-w-[70ch] text-soft">
          The package @foyer/widget loads the widget from this server, so both always have the same version.
        </p>
        <CopyField label="the install command" text={`npm install ${serverUrl()}/packages/foyer-widget.tgz`} />
        <CopyField label="the lines of the package" text={createPackageCode(agentId)} />
      </div>
    </Section>
  );
}
