import type { Agent } from "@foyer/contract";
import { Select } from "../../components/field.tsx";

type Reasoning = Agent["reasoning"];

const levels: ReadonlyArray<{ value: Reasoning; label: string; help: string }> = [
  { value: "default", label: "Default", help: "The provider decides how much the model thinks before it answers." },
  {
    value: "none",
    label: "None",
    help: "Answers at once, as far as the model allows. The fastest and cheapest choice.",
  },
  { value: "low", label: "Low", help: "Thinks briefly. Suits most questions that take more than one step." },
  { value: "medium", label: "Medium", help: "Thinks longer, for questions that combine several facts or tools." },
  {
    value: "high",
    label: "High",
    help: "Thinks as long as it needs. The slowest choice, with the most output tokens.",
  },
];

/** How much the model thinks before it answers. Visitors never see its thoughts. */
export function ReasoningField({
  value,
  onChange,
  error,
}: {
  value: Reasoning;
  onChange: (value: Reasoning) => void;
  error: string | undefined;
}) {
  return (
    <Select
      label="Reasoning"
      help={`${levels.find((level) => level.value === value)?.help} Visitors never see the model's thoughts.`}
      className="max-w-48"
      value={value}
      onChange={onChange}
      options={levels}
      error={error}
    />
  );
}
