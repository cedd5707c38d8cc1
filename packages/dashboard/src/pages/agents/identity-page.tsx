import { agentLimits } from "@foyer/contract/rules/limits";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { AdminFields } from "../../components/admin-fields.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { Toggle } from "../../components/field.tsx";
import { Page, Section } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { serverPath } from "../../data/server-address.ts";
import { identifiedEmbedCode, identitySamples } from "./identity-samples.ts";
import { IdentitySecret } from "./identity-secret.tsx";
import { dropEmpty, ListField } from "./list-field.tsx";
import { TokenCheck } from "./token-check.tsx";

const route = getRouteApi("/shell/agents/$agentId/identity");

/** How a site proves its visitors' identities, and what the model learns about them. */
export function IdentityPage() {
  const { agentId } = route.useParams();
  return <Identity key={agentId} />;
}

function Identity() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const { requireIdentity, tellModel } = agent;
  const draft = useDraft({ requireIdentity, tellModel });
  const edits = useAgentEdits(agentId, draft);
  const save = useEndpointMutation("updateAgent", { edits, done: "Saved" });
  const { values, change, errorAt } = draft;
  return (
    <Page
      title="Identity"
      description={`Your server can sign a token that proves to ${agent.name} who is signed in on your website. Tools then act for exactly that user, and neither the visitor nor the AI can choose another one.`}
    >
      <form
        ref={draft.form}
        noValidate
        aria-label="Identity"
        onSubmit={(event) => {
          event.preventDefault();
          void draft.submit((_, { tellModel, ...rest }) => {
            const facts = tellModel ? { tellModel: dropEmpty(tellModel) } : {};
            return save.mutateAsync({ id: agentId, body: { ...rest, ...facts } });
          });
        }}
      >
        <Section title="Visitors">
          <AdminFields>
            <Toggle
              label="Require signed identities"
              help="Visitors without a user token or a signed user id are treated as anonymous."
              value={values.requireIdentity}
              onChange={(requireIdentity) => change({ requireIdentity })}
            />
          </AdminFields>
          <ListField
            label="What the AI may know"
            itemLabel="Fact"
            addLabel="Add fact"
            max={agentLimits.tellModel}
            placeholder="claims.plan"
            emptyText="The AI learns nothing about verified visitors. Tools can still use every fact."
            help="Enter id, email, name, or a claim such as claims.plan. The AI receives the values as data with each message of a verified visitor."
            values={values.tellModel}
            onChange={(tellModel) => change({ tellModel })}
            errorAt={(index) => errorAt(`tellModel.${index}`)}
          />
        </Section>
        <Section title="Identity secret" description="Your server signs tokens with it. Never put it in a page.">
          <IdentitySecret agentId={agentId} />
        </Section>
        <SigningSection agentId={agentId} />
        <TokenCheck agentId={agentId} />
        <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
      </form>
    </Page>
  );
}

function SigningSection({ agentId }: { agentId: string }) {
  const [language, setLanguage] = useState("node");
  const samples = identitySamples(agentId);
  const sample = samples.find(({ id }) => id === language) ?? samples[0];
  return (
    <Section
      title="Sign a token"
      description="Your server signs a token for its signed-in user when it renders a page. The code reads the identity secret from the environment variable FOYER_IDENTITY_SECRET."
      actions={
        <a
          href={serverPath("/docs/widget#identify-visitors")}
          target="_blank"
          rel="noopener"
          className="inline-flex min-h-9 items-center underline underline-offset-2"
        >
          Read the guide
        </a>
      }
    >
      <div className="grid min-w-0 gap-2">
        <h3 className="font-medium">On your server</h3>
        <SegmentedControl
          label="Language"
          value={language}
          onChange={setLanguage}
          options={samples.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <CopyField label={`the code for ${sample?.name}`} text={sample?.code ?? ""} />
      </div>
      <div className="grid min-w-0 gap-2">
        <h3 className="font-medium">In your page</h3>
        <CopyField label="the embed code with a user token" text={identifiedEmbedCode(agentId)} />
      </div>
    </Section>
  );
}
