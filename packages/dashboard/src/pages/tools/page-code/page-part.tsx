import { CopyField } from "../../../components/copy-field.tsx";
import { TextArea } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import type { PartProps } from "../tool-editor.tsx";
import { registerCode } from "./register-code.ts";

/** The code that runs a page action on the website, and the schema of its results. */
export function PagePart({ draft }: PartProps) {
  const { values, change, errorAt } = draft;
  return (
    <div className="grid max-w-3xl">
      <Section
        title="Your page's code"
        description="Add this code to every page on which the agent may use the tool. On other pages, the agent doesn't know about it."
      >
        <CopyField label="the code" text={registerCode(values)} />
        <ul className="grid max-w-[70ch] list-disc gap-1 ps-5 text-soft">
          <li>With “confirm”, the widget asks the visitor first. Leave it out for harmless actions.</li>
          <li>The reply waits 30 seconds for the result, which can be up to 16 KB of JSON.</li>
          <li>
            The result comes from the visitor's browser and can be forged. Never let it decide on prices, permissions or
            payments: check those on your server.
          </li>
        </ul>
      </Section>
      <Section title="Result" description="Optional. Results that don't match this JSON Schema are rejected.">
        <TextArea
          label="JSON Schema of the result"
          value={values.clientResultSchema}
          onChange={(clientResultSchema) => change({ clientResultSchema })}
          error={errorAt("clientResultSchema")}
          className="min-h-40 font-mono"
          spellCheck={false}
          rows={8}
          placeholder={'{ "type": "object", "properties": { "items": { "type": "number" } } }'}
        />
      </Section>
    </div>
  );
}
