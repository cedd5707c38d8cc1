const known: Record<string, string> = {
  name: "The name",
  description: "The description",
  mockResponse: "The response",
  httpUrl: "The address",
  httpHeaders: "The header",
  httpBody: "The body",
  inputSchema: "The input schema",
  displayConfig: "The display",
  formSchema: "The form",
  formWebhookUrl: "The webhook's address",
  formClientHandler: "The handler's name",
  formPostActions: "Action",
};

/** The fields of an action, as their labels in the editor say. */
const actionFields: Record<string, string> = {
  recipientIds: "recipients",
  to: "recipients",
  url: "address",
  webhookUrl: "address",
  messageTemplate: "message",
};

/**
 * A path as readable text: `formSchema.fields.2.label` becomes `The form: field 3, label`, and
 * `formPostActions.0.recipientIds` becomes `Action 1, recipients`.
 */
export function describePath(path: string): string {
  const [first = "", ...rest] = path.split(".").filter((part) => part !== "fieldMappings" && part !== "properties");
  const more = rest
    .map((part, index) => {
      if (/^\d+$/.test(part)) return `${Number(part) + 1}${index === rest.length - 1 ? "" : ","}`;
      return (first === "formPostActions" && actionFields[part]) || part;
    })
    .join(" ")
    .replace(/\bfields (\d)/, "field $1");
  const start = known[first] ?? first;
  return more === "" ? start : `${start}${first === "formPostActions" ? "" : ":"} ${more}`;
}
