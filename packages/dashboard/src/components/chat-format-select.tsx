import { type ChatFormat, chatFormatNames, chatFormats } from "@foyer/contract/rules/chat-formats";
import { Select } from "./field.tsx";

const options: ReadonlyArray<{ value: ChatFormat | ""; label: string }> = [
  { value: "", label: "Automatic" },
  ...chatFormatNames.map((value) => ({ value, label: chatFormats[value].label })),
];

/** The team chat whose format the messages to an incoming webhook have. `null` leaves the decision to the server. */
export function ChatFormatSelect({
  value,
  onChange,
  error,
}: {
  value: ChatFormat | null;
  onChange: (format: ChatFormat | null) => void;
  error: string | undefined;
}) {
  return (
    <Select
      label="Team chat"
      help={value === null ? "The server recognizes the team chat by the address." : undefined}
      options={options}
      value={value ?? ""}
      onChange={(format) => onChange(format === "" ? null : format)}
      error={error}
    />
  );
}
