import { expect } from "vitest";

/** One exchange in a provider's format. Everything else is the same for all providers. */
export type Format = {
  /** the text in one event of its stream */
  text(event: never): string | undefined;
  /** the request's body for a system prompt, a user's "Hello?" and the tool, at temperature 0.3 */
  request(model: string, tool: Tool): object;
  /** the part of the second request's body that returns "Sunny." as the result of the call */
  answered(call: Call): object;
};
type Tool = { name: string; description: string; schema: object };
export type Call = { id: string; name: string; input: object };

const chatCompletions: Format = {
  text: (event: { choices: Array<{ delta: { content?: string | null } }> }) =>
    event.choices[0]?.delta.content ?? undefined,
  request: (model, { name, description, schema }) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.3,
    messages: [
      { role: "system", content: "You sell bikes." },
      { role: "user", content: "Hello?" },
    ],
    tools: [{ type: "function", function: { name, description, parameters: schema } }],
  }),
  answered: ({ id, name, input }) => ({
    messages: [
      { role: "system" },
      { role: "user" },
      {
        role: "assistant",
        tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
      },
      { role: "tool", tool_call_id: id, content: "Sunny." },
    ],
  }),
};

/** The formats by provider. */
export const formats = {
  openai: {
    text: (event: { type: string; delta?: string }) =>
      event.type === "response.output_text.delta" ? event.delta : undefined,
    request: (model, { name, description, schema }) => ({
      model,
      stream: true,
      temperature: 0.3,
      store: false,
      input: [
        { role: "system", content: "You sell bikes." },
        { role: "user", content: [{ type: "input_text", text: "Hello?" }] },
      ],
      tools: [{ type: "function", name, description, parameters: schema }],
    }),
    answered: ({ id, name, input }) => ({
      input: [
        { role: "system" },
        { role: "user" },
        { type: "function_call", call_id: id, name, arguments: JSON.stringify(input) },
        { type: "function_call_output", call_id: id, output: "Sunny." },
      ],
    }),
  },
  anthropic: {
    text: (event: { delta?: { type: string; text?: string } }) =>
      event.delta?.type === "text_delta" ? event.delta.text : undefined,
    request: (model, { name, description, schema }) => ({
      model,
      stream: true,
      temperature: 0.3,
      max_tokens: expect.any(Number),
      system: [{ type: "text", text: "You sell bikes.", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello?", cache_control: { type: "ephemeral" } }] }],
      tools: [{ name, description, input_schema: schema, cache_control: { type: "ephemeral" } }],
    }),
    answered: ({ id, name, input }) => ({
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I'll look up our opening hours." },
            { type: "tool_use", id, name, input },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "Sunny." }] },
      ],
    }),
  },
  google: {
    text: (event: { candidates: Array<{ content: { parts: Array<{ text?: string }> } }> }) =>
      event.candidates[0]?.content.parts.map((part) => part.text ?? "").join(""),
    request: (_, { name, description, schema }) => ({
      generationConfig: { temperature: 0.3 },
      systemInstruction: { parts: [{ text: "You sell bikes." }] },
      contents: [{ role: "user", parts: [{ text: "Hello?" }] }],
      tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }],
    }),
    answered: ({ name, input }) => ({
      contents: [
        { role: "user" },
        // Gemini rejects a call that is returned without its signature.
        {
          role: "model",
          parts: [{ functionCall: { name, args: input }, thoughtSignature: expect.stringMatching(/^SGFyYm91ci/) }],
        },
        { role: "user", parts: [{ functionResponse: { name, response: { content: "Sunny." } } }] },
      ],
    }),
  },
  mistral: {
    ...chatCompletions,
    request: (model, { name, description, schema }) => ({
      model,
      stream: true,
      temperature: 0.3,
      messages: [
        { role: "system", content: "You sell bikes." },
        { role: "user", content: [{ type: "text", text: "Hello?" }] },
      ],
      tools: [{ type: "function", function: { name, description, parameters: schema } }],
    }),
  },
  ollama: chatCompletions,
  "openai-compatible": chatCompletions,
} satisfies Record<string, Format>;
