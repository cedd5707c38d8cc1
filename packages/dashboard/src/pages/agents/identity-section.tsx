import { useState } from "react";
import { ChoiceBar } from "../../components/choice-bar.tsx";
import { Copyable } from "../../components/copyable.tsx";
import { Toggle } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { identifiedLine, identitySamples } from "./identity-samples.ts";
import { IdentitySecret } from "./identity-secret.tsx";

/** Whether a visitor has to prove who they are, and with what. */
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
  const sample = identitySamples.find(({ id }) => id === language) ?? identitySamples[0];
  return (
    <Section
      title="Who visitors are"
      description="Your page can say who is signed in. Signed by your server, nobody can pretend to be somebody else."
    >
      <Toggle
        label="Believe only signed identities"
        help="Who comes without a right signature counts as anonymous."
        value={isRequired}
        onChange={onChange}
      />
      <IdentitySecret agentId={agentId} />
      <div className="grid min-w-0 gap-2">
        <h3 className="font-medium">Sign on your server</h3>
        <ChoiceBar
          label="Language"
          value={language}
          onChange={setLanguage}
          options={identitySamples.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Copyable label={`the code for ${sample?.name}`} text={sample?.code ?? ""} />
      </div>
      <div className="grid min-w-0 gap-2">
        <h3 className="font-medium">Say it on the page</h3>
        <Copyable label="the line with an identity" text={identifiedLine(agentId)} />
      </div>
    </Section>
  );
}
