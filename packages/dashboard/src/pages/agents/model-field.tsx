import { isAtLeast, minimumRole } from "@foyer/contract/rules/roles";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Combobox } from "../../components/combobox.tsx";
import type { Option } from "../../components/option-list.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { DEMO_MODEL } from "./model-name.ts";

/** The model of an agent: the default (`null`), an available model, or any other model by its id. */
export function ModelField({
  value,
  onChange,
  error,
}: {
  value: string | null;
  onChange: (model: string | null) => void;
  error: string | undefined;
}) {
  const models = useQuery(endpointQuery("listModels")).data;
  const standard = models?.find(({ isDefault }) => isDefault);
  const defaultLabel = standard ? `Default (currently ${standard.id})` : "Default";
  const connected = useProviderWithoutDefault();
  const options = useModelOptions();
  return (
    <Combobox
      label="Model"
      emptyLabel={defaultLabel}
      help={
        value === null && connected ? (
          <SetDefaultModel provider={connected} />
        ) : (
          <ModelHelp
            model={value?.trim() ?? standard?.id ?? ""}
            known={models?.map(({ id }) => id)}
            isConnected={connected !== null}
          />
        )
      }
      options={options}
      value={value ?? ""}
      onChange={(text) => onChange(text === "" ? null : text)}
      error={error}
    />
  );
}

/** The available models, with their names and providers. */
export function useModelOptions(): Option[] {
  const models = useQuery(endpointQuery("listModels")).data ?? [];
  return models.map(({ id, provider, name }) => ({
    value: id,
    hint: id === DEMO_MODEL ? name : `${name}, ${provider}`,
  }));
}

/** The connected provider if none of the connected ones lists a model that could be the default. */
export function useProviderWithoutDefault(): string | null {
  const models = useQuery(endpointQuery("listModels")).data;
  const role = useQuery(endpointQuery("getSession")).data?.role ?? null;
  const isDemoDefault = models?.some(({ id, isDefault }) => isDefault && id === DEMO_MODEL) ?? false;
  const mayRead = isAtLeast(role ?? "member", minimumRole("GET", "/models/providers"));
  const providers = useQuery({ ...endpointQuery("listProviders"), enabled: isDemoDefault && mayRead }).data;
  if (!isDemoDefault) return null;
  return providers?.find(({ source }) => source !== null)?.provider ?? null;
}

/** What to do when a provider is connected, but lists no models. */
export function SetDefaultModel({ provider }: { provider: string }) {
  return (
    <>
      {provider} is connected, but lists no models, so the demo is the default. Set{" "}
      <code>FOYER_DEFAULT_MODEL={provider}/…</code> on the server, or type <code>{provider}/</code> and the model's name
      here.
    </>
  );
}

function ModelHelp({
  model,
  known,
  isConnected,
}: {
  model: string;
  known: readonly string[] | undefined;
  /** whether a provider is connected that lists no models */
  isConnected: boolean;
}) {
  if (model === DEMO_MODEL) {
    return (
      <>
        The demo is not AI. It searches the system prompt for words from the question. For a real model, <ToModels />.
      </>
    );
  }
  const hasProvider = isConnected || known?.some((id) => id !== DEMO_MODEL);
  if (known && !hasProvider) {
    return (
      <>
        No provider is connected, so the demo answers instead. To use this model, <ToModels />.
      </>
    );
  }
  if (known && model !== "" && !known.includes(model)) return "We don't know this model. It will be used as typed.";
  return "Choose a model, or type provider/model.";
}

function ToModels() {
  return (
    <Link to="/settings/models" className="underline underline-offset-2">
      add a provider API key
    </Link>
  );
}
