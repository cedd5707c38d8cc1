import { toolTextLimits } from "@foyer/contract/rules/limits";
import { boundIn } from "@foyer/contract/rules/url-template";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { Select, Toggle } from "../../../components/field.tsx";
import type { Option } from "../../../components/option-list.tsx";
import { Section } from "../../../components/page.tsx";
import { Status } from "../../../components/status.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { useRole } from "../../../data/use-role.ts";
import { readJson } from "../json-lines.ts";
import type { PartProps, ToolDrafting } from "../tool-editor.tsx";
import { HeaderRows } from "./header-rows.tsx";
import { PlaceholderField } from "./placeholder-field.tsx";
import { placeholderOptions } from "./placeholders.ts";
import { SecretNotes } from "./secret-notes.tsx";
import { UrlPreview } from "./url-preview.tsx";

const methods = (["GET", "POST", "PUT", "DELETE"] as const).map((value) => ({ value, label: value }));

/**
 * The request of an HTTP tool: method, URL, headers and body with placeholders, and the facts about the visitor that it
 * sends.
 */
export function RequestPart({ draft }: PartProps) {
  const { values, change, errorAt } = draft;
  const { isAdmin } = useRole();
  const secrets = useQuery({ ...endpointQuery("listSecrets"), enabled: isAdmin }).data ?? [];
  const { inputs } = values.inputSchema;
  const texts = [values.httpUrl, ...values.httpHeaders.map(({ value }) => value), values.httpBody];
  const options = placeholderOptions({ inputs, secrets });
  return (
    <div className="grid max-w-3xl">
      <Section
        title="Request"
        description="Foyer sends this request when the agent uses the tool. Type { to insert a placeholder: the agent fills in inputs such as {city}, and Foyer fills in values such as {{visitor.id}}, which the agent cannot change."
      >
        <div className="grid items-start gap-4 sm:grid-cols-[7rem_minmax(0,1fr)]">
          <Select
            label="Method"
            options={methods}
            value={values.httpMethod}
            onChange={(httpMethod) => change({ httpMethod })}
            error={errorAt("httpMethod")}
          />
          <PlaceholderField
            label="URL"
            insertLabel="Insert a placeholder into the address"
            value={values.httpUrl}
            onChange={(httpUrl) => change({ httpUrl })}
            error={errorAt("httpUrl")}
            options={options}
            placeholder="https://api.example.com/stock/{bike}"
            maxLength={toolTextLimits.url}
          />
        </div>
        <UrlPreview draft={draft} />
        <VisitorNote draft={draft} texts={texts} />
      </Section>
      <BodySection draft={draft} options={options} />
      <Section
        title="Headers"
        description="Sent with every request. Store keys as secrets and refer to them in double braces, such as {{API_KEY}}. Their values are never shown."
      >
        <HeaderRows
          rows={values.httpHeaders}
          onChange={(httpHeaders) => change({ httpHeaders })}
          errorAt={(name) => errorAt(`httpHeaders.${name}`)}
          placeholders={placeholderOptions({ inputs: [], secrets })}
        />
        <SecretNotes texts={texts} url={values.httpUrl} />
        <Toggle
          label="Send a signed visitor token"
          help="For verified visitors, adds the header Foyer-Visitor: a JWT that is signed with the agent's identity secret and valid for 60 seconds and this host only. Your server can verify it instead of trusting the URL."
          value={values.sendVisitorToken}
          onChange={(sendVisitorToken) => change({ sendVisitorToken })}
        />
      </Section>
    </div>
  );
}

/** The template of the body. It is shown for another method only if there is one. */
function BodySection({ draft, options }: { draft: ToolDrafting; options: readonly Option[] }) {
  const { httpMethod, httpBody: text } = draft.values;
  const isSent = httpMethod === "POST" || httpMethod === "PUT";
  if (!isSent && text.trim() === "") return null;
  const read = readJson(text);
  const formatted = "lineOf" in read ? JSON.stringify(read.value, null, 2) : text;
  return (
    <Section
      title="Body"
      description="A JSON template. A value that is only a placeholder keeps its type, and a property whose input is missing is left out. Without a template, the inputs that the URL doesn't contain are the body."
    >
      <PlaceholderField
        label="JSON template"
        insertLabel="Insert a placeholder into the body"
        value={text}
        onChange={(httpBody) => draft.change({ httpBody })}
        error={draft.errorAt("httpBody")}
        options={options}
        placeholder={'{\n  "customer": "{{visitor.id}}",\n  "bike": "{bike}"\n}'}
        isJson
      />
      <div className="flex min-h-9 flex-wrap items-center gap-3">
        <span role="status" className="flex-1">
          {text.trim() === "" ? (
            <Status>No template</Status>
          ) : "lineOf" in read ? (
            <Status tone={isSent ? "fine" : "warning"}>{isSent ? "JSON" : `Not sent with ${httpMethod}`}</Status>
          ) : (
            <span className="text-warning">
              Line {read.line}: {read.message}
            </span>
          )}
        </span>
        {formatted !== text && text.trim() !== "" && (
          <Button onClick={() => draft.change({ httpBody: formatted })}>Format JSON</Button>
        )}
      </div>
    </Section>
  );
}

/** A warning about facts of verified visitors in a tool that is offered to the agent for every visitor. */
function VisitorNote({ draft, texts }: { draft: ToolDrafting; texts: string[] }) {
  const [fact] = boundIn(texts).filter((name) => name.startsWith("visitor."));
  if (fact === undefined || draft.values.requires === "verified") return null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p className="text-warning">
        Only verified visitors have <code>{`{{${fact}}}`}</code>. Calls for other visitors fail.
      </p>
      <Button onClick={() => draft.change({ requires: "verified" })}>Limit the tool to verified visitors</Button>
    </div>
  );
}
