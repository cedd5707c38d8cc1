import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { Copyable } from "../../components/copyable.tsx";
import { Page, Section } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { ask, useCall } from "../../data/queries.ts";
import { BudgetSection } from "./budget-section.tsx";
import { embedLine, packageLines } from "./embed-line.ts";
import { IdentitySection } from "./identity-section.tsx";
import { ListField } from "./list-field.tsx";
import { PasteHints } from "./paste-hints.tsx";

const route = getRouteApi("/shell/agents/$agentId/embed");

/** How the agent gets onto pages, onto which, for whom, and for how much. */
export function EmbedPage() {
  const { agentId } = route.useParams();
  return <Embedding key={agentId} />;
}

function Embedding() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(ask("getAgent", { id: agentId }));
  const save = useCall("updateAgent", { changes: ["getAgent"], done: "Saved" });
  const { allowedOrigins, allowedImageHosts, requireIdentity, monthlyTokenBudget } = agent;
  const draft = useDraft({
    ...{ allowedOrigins, allowedImageHosts, requireIdentity, monthlyTokenBudget },
    budgetMessage: agent.budgetMessage ?? "",
  });
  const { values, change, errorAt } = draft;
  return (
    <Page title="Embed" description={`Puts ${agent.name} on your pages, and says on which.`}>
      <form
        ref={draft.form}
        noValidate
        aria-label="Embed"
        onSubmit={(event) => {
          event.preventDefault();
          void draft.submit((_, changed) => save.mutateAsync({ id: agentId, body: toBody(changed) }));
        }}
      >
        <LineSection agentId={agentId} />
        <Section title="Where it may be used">
          <ListField
            {...{ label: "Allowed sites", itemLabel: "Site", addLabel: "Add a site", most: 100 }}
            placeholder="https://shop.example"
            emptyText="Any site may use it. Add yours, and no other can."
            help="With https:// and without a path. www.shop.example is another site than shop.example. Pages of this server always work."
            values={values.allowedOrigins}
            onChange={(allowedOrigins) => change({ allowedOrigins })}
            errorAt={(index) => errorAt(`allowedOrigins.${index}`)}
          />
          <ListField
            {...{ label: "Allowed hosts of images", itemLabel: "Host", addLabel: "Add a host", most: 100 }}
            placeholder="images.shop.example"
            emptyText="Images come from any host."
            help="Where images in replies and product cards may come from. Keeps a reply from loading images of strangers."
            values={values.allowedImageHosts}
            onChange={(allowedImageHosts) => change({ allowedImageHosts })}
            errorAt={(index) => errorAt(`allowedImageHosts.${index}`)}
          />
        </Section>
        <IdentitySection
          agentId={agentId}
          isRequired={values.requireIdentity}
          onChange={(requireIdentity) => change({ requireIdentity })}
        />
        <BudgetSection
          agentId={agentId}
          budget={values.monthlyTokenBudget}
          message={values.budgetMessage}
          onChange={change}
          errorAt={errorAt}
        />
        <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
      </form>
    </Page>
  );
}

type Changed = {
  allowedOrigins?: string[];
  allowedImageHosts?: string[];
  requireIdentity?: boolean;
  monthlyTokenBudget?: number | null;
  budgetMessage?: string;
};

function toBody({ allowedOrigins, allowedImageHosts, budgetMessage, ...rest }: Changed) {
  const filled = (texts: string[]) => texts.map((text) => text.trim()).filter((text) => text !== "");
  return {
    ...rest,
    ...(allowedOrigins ? { allowedOrigins: filled(allowedOrigins) } : {}),
    ...(allowedImageHosts ? { allowedImageHosts: filled(allowedImageHosts) } : {}),
    ...(budgetMessage === undefined ? {} : { budgetMessage: budgetMessage.trim() || null }),
  };
}

function LineSection({ agentId }: { agentId: string }) {
  return (
    <Section
      title="The line"
      description="One line in your pages. It loads after everything else and keeps out of their styles."
      actions={
        <a
          href={`/demo/${agentId}`}
          target="_blank"
          rel="noopener"
          className="inline-flex min-h-9 items-center gap-2 underline underline-offset-2"
        >
          See it on a page <ExternalLink size={14} aria-hidden />
        </a>
      }
    >
      <Copyable label="the line" text={embedLine(agentId)} />
      <PasteHints />
      <div className="grid min-w-0 gap-2">
        <h3 className="font-medium">In an app with a build</h3>
        <p className="max-w-[70ch] text-soft">
          The package @foyer/widget loads the widget from this server, so that both always fit together.
        </p>
        <Copyable label="the lines of the package" text={packageLines(agentId)} />
      </div>
    </Section>
  );
}
