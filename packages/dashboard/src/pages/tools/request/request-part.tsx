import { useQuery } from "@tanstack/react-query";
import { Select, TextArea } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import type { PartProps } from "../tool-editor.tsx";
import { useRole } from "../use-role.ts";
import { HeaderRows } from "./header-rows.tsx";
import { SecretNotes } from "./secret-notes.tsx";
import { UrlPreview } from "./url-reading.tsx";

const methods = (["GET", "POST", "PUT", "DELETE"] as const).map((value) => ({ value, label: value }));

/** The request of an HTTP tool: method, URL with placeholders, and headers with secrets. */
export function RequestPart({ draft }: PartProps) {
  const { values, change, errorAt } = draft;
  const { isAdmin } = useRole();
  const secrets = useQuery({ ...endpointQuery("listSecrets"), enabled: isAdmin }).data ?? [];
  const texts = [values.httpUrl, ...values.httpHeaders.map(({ value }) => value)];
  return (
    <div className="grid max-w-3xl">
      <Section
        title="Request"
        description="Foyer sends this request when the agent uses the tool. Placeholders such as {city} are filled in from the tool’s inputs."
      >
        <div className="grid items-start gap-4 sm:grid-cols-[7rem_minmax(0,1fr)]">
          <Select
            label="Method"
            options={methods}
            value={values.httpMethod}
            onChange={(httpMethod) => change({ httpMethod })}
            error={errorAt("httpMethod")}
          />
          <TextArea
            label="URL"
            value={values.httpUrl}
            // Long URLs wrap, but contain no line breaks.
            onChange={(httpUrl) => change({ httpUrl: httpUrl.replace(/[\r\n]+/g, "") })}
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
            error={errorAt("httpUrl")}
            placeholder="https://api.example.com/stock/{bike}"
            rows={1}
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            maxLength={2_000}
            className="min-h-9! resize-none font-mono"
          />
        </div>
        <UrlPreview draft={draft} />
      </Section>
      <Section
        title="Headers"
        description="Sent with every request. Store keys as secrets and refer to them in double braces, such as {{API_KEY}}. Their values are never shown."
      >
        <HeaderRows
          rows={values.httpHeaders}
          onChange={(httpHeaders) => change({ httpHeaders })}
          errorAt={(name) => errorAt(`httpHeaders.${name}`)}
          secrets={secrets}
        />
        <SecretNotes texts={texts} url={values.httpUrl} />
      </Section>
    </div>
  );
}
