import type { ServerKind } from "@foyer/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Select, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import type { Provider } from "./provider-row.tsx";
import { TestOutcome } from "./provider-test-outcome.tsx";
import { otherServer, serverPresets } from "./server-presets.ts";

type Values = {
  provider: string;
  apiKey: string;
  baseUrl: string;
  resourceName: string;
  apiVersion: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

/** Adds a server of models under a name, or changes one. */
export function ServerDialog({ server, onClose }: { server: Provider | null; onClose: () => void }) {
  const [preset, setPreset] = useState(server ? otherServer : (serverPresets[0] ?? otherServer));
  const kind: ServerKind = server?.kind ?? preset.kind;
  const [model, setModel] = useState("");
  const form = useDialogForm<Values>(
    {
      provider: server?.provider ?? preset.name,
      apiKey: "",
      baseUrl: server?.baseUrl ?? preset.baseUrl,
      resourceName: server?.resourceName ?? "",
      apiVersion: server?.apiVersion ?? "",
      region: server?.region ?? "",
      accessKeyId: "",
      secretAccessKey: "",
    },
    async (values) => {
      const name = values.provider.trim();
      await api.putProvider({ provider: name, body: toBody(kind, values) });
      await refresh("listProviders", "listModels", "getDocumentEmbeddings");
      notify(`Agents can use models such as ${name}/${model.trim() || "…"}`);
      onClose();
    },
  );
  const { values, change, errorAt } = form;
  const test = useMutation({
    mutationFn: () =>
      api.testProvider({
        provider: values.provider.trim(),
        body: { ...toBody(kind, values), model: model.trim() || null, sendMessage: true },
      }),
  });
  const edit = (part: Partial<Values>) => {
    test.reset();
    change(part);
  };
  const field = (name: keyof Values) => ({
    value: values[name],
    onChange: (value: string) => edit({ [name]: value }),
    error: errorAt(name),
    autoComplete: "off",
  });
  const choose = (label: string) => {
    const chosen = serverPresets.find((known) => known.label === label) ?? otherServer;
    setPreset(chosen);
    edit({ provider: chosen.name, baseUrl: chosen.baseUrl });
  };
  return (
    <FormDialog
      title={server ? server.label : "Add a server"}
      description={
        server
          ? "The stored key is never shown. Enter it again to change anything."
          : "Its name begins the ids of its models. The key is stored encrypted and never shown again."
      }
      action="Save"
      form={form}
      onClose={onClose}
      besideAction={
        <Button disabled={values.provider.trim() === ""} isBusy={test.isPending} onClick={() => test.mutate()}>
          Test
        </Button>
      }
    >
      {!server && (
        <>
          <Select
            label="Service"
            value={preset.label}
            onChange={choose}
            options={serverPresets.map(({ label }) => ({ value: label, label }))}
            help={preset.hint}
          />
          <TextField
            label="Name"
            {...field("provider")}
            help={`Lowercase letters, digits and hyphens. A model is then called ${values.provider || "name"}/model.`}
          />
        </>
      )}
      {kind === "azure" && (
        <TextField
          label="Resource name"
          {...field("resourceName")}
          isOptional={values.baseUrl !== ""}
          placeholder="my-resource"
          help="As in https://my-resource.openai.azure.com"
        />
      )}
      {kind === "bedrock" && <TextField label="Region" {...field("region")} placeholder="eu-central-1" />}
      <TextField label="API key" type="password" {...field("apiKey")} isOptional={kind !== "azure"} />
      {kind === "bedrock" && (
        <>
          <TextField label="Access key ID" {...field("accessKeyId")} isOptional help="Instead of an API key" />
          <TextField label="Secret access key" type="password" {...field("secretAccessKey")} isOptional />
        </>
      )}
      <TextField
        label="Base URL"
        type="url"
        {...field("baseUrl")}
        isOptional={kind !== "openai-compatible"}
        placeholder={kind === "openai-compatible" ? "https://models.example.com/v1" : undefined}
        help={kind === "openai-compatible" ? undefined : "Only needed if you use a proxy or gateway."}
      />
      {kind === "azure" && (
        <TextField
          label="API version"
          {...field("apiVersion")}
          isOptional
          placeholder="2024-10-21"
          help="Only for deployments that the v1 interface does not reach"
        />
      )}
      <TextField
        label="Model to test with"
        isOptional={kind === "openai-compatible"}
        autoComplete="off"
        value={model}
        onChange={(value) => {
          test.reset();
          setModel(value);
        }}
        help={
          kind === "azure"
            ? "The name of a deployment"
            : kind === "bedrock"
              ? "Such as eu.amazon.nova-lite-v1:0"
              : "Without it, the first model that the server lists"
        }
      />
      <TestOutcome test={test} />
    </FormDialog>
  );
}

/** The settings that this kind of server has. Empty ones are not sent. */
function toBody(kind: ServerKind, { provider: _, ...values }: Values) {
  const names: ReadonlyArray<keyof typeof values> = ["apiKey", "baseUrl", ...ownSettings[kind]];
  const given = names.map((name) => [name, values[name].trim() || null]);
  return { kind, ...Object.fromEntries(given) };
}

const ownSettings = {
  "openai-compatible": [],
  azure: ["resourceName", "apiVersion"],
  bedrock: ["region", "accessKeyId", "secretAccessKey"],
} as const satisfies Record<ServerKind, ReadonlyArray<Exclude<keyof Values, "provider">>>;
