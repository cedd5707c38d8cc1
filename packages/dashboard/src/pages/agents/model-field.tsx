import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { TextField } from "../../components/field.tsx";
import { ask } from "../../data/queries.ts";
import { DEMO_MODEL } from "./model-name.ts";

/** A model by its id: one of those that can be used now, or any other by hand. */
export function ModelField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (model: string) => void;
  error: string | undefined;
}) {
  const list = useId();
  const models = useQuery(ask("listModels")).data;
  return (
    <>
      <TextField
        {...{ label: "Model", list, autoComplete: "off", spellCheck: false }}
        help={<ModelHelp model={value.trim()} known={models?.map(({ id }) => id)} />}
        value={value}
        onChange={onChange}
        error={error}
      />
      <datalist id={list}>
        {models?.map(({ id, provider, name }) => (
          <option key={id} value={id}>
            {id === DEMO_MODEL ? name : `${name}, ${provider}`}
          </option>
        ))}
      </datalist>
    </>
  );
}

function ModelHelp({ model, known }: { model: string; known: readonly string[] | undefined }) {
  if (model === DEMO_MODEL) {
    return (
      <>
        The demo is no AI: it searches the system prompt for the words of the question. For a real model, <ToModels />.
      </>
    );
  }
  const hasProvider = known?.some((id) => id !== DEMO_MODEL);
  if (known && !hasProvider) {
    return (
      <>
        No provider is set up yet, so the demo answers in its place. To change that, <ToModels />.
      </>
    );
  }
  if (known && model !== "" && !known.includes(model)) {
    return <>None of the {known.length} models that can be used now has this name. It is asked for all the same.</>;
  }
  return <>As provider/model. The list offers what your providers have now.</>;
}

function ToModels() {
  return (
    <Link to="/settings/models" className="underline underline-offset-2">
      add a provider's key
    </Link>
  );
}
