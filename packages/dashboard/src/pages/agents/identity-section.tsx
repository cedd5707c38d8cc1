import { useState } from "react";
import { CopyField } from "../../components/copy-field.tsx";
import { Toggle } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { identifiedEmbedCode, identitySamples } from "./identity-samples.ts";
import { IdentitySecret } from "./identity-secret.tsx";

/** Whether visitor identities must be signed, and how to sign them. */
export function IdentitySection({
  agentId,
  isRequired,
  onChange,
}: {
  agentId: string;
  isRequired: boolean;
  onChange: (isRequired: boolean) => void;
}) {
  const [language, setLanguage] = useState("node");
  const samples = identitySamples(agentId);
  const sample = samples.find(({ id }) => id === language) ?? samples[0];
  return (
    <Section
      title="Visitor identity"
      description="Your page can tell Foyer who is signed in. A token that your server signs proves it, with email, name and further claims."
    >
      <Toggle
        label="Require signed identities"
        help="Visitors without a user token or a signed user id are treated as anonymous."
        value={isRequired}
        onChange={onChange}
      />
      <IdentitySecret agentId={agentId} />
      <div className="grid min-w-0 gap-2">
        <h3 className="font-medium">Sign on your server</h3>
        <SegmentedControl
          label="Language"
          value={language}
          onChange={setLanguage}
          options={samples.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <CopyField label={`the code for ${sample?.name}`} text={sample?.code ?? ""} />
      </div>
      <div className="grid min-w-0 gap-2">
        <h3 className="font-medium">Add to your page</h3>
        <CopyField label="the line with an identity" text={identifiedEmbedCode(agentId)} />
      </div>
    </Section>
  );
}
