import fc from "fast-check";

/** Texts with what breaks formats of text: quotes, line breaks, colons, comments, emoji, and other scripts. */
const text = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ minLength: 1, maxLength }),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: Math.floor(maxLength / 12) || 1 }),
      fc.constantFrom(
        "yes",
        "null",
        "1.10",
        "2026-01-31",
        "# no comment",
        "- a\n- b\n",
        "key: value",
        "  indented\n    more\n",
        "trailing space \nnext\n\n\n",
        "tab\tand\r\nreturn",
        "*alias &anchor !tag",
        "{{NAME}} {input}",
        "ein „Zitat“ – 日本語 عربى 👩‍👧",
        "'single' \"double\"",
        "---\nfront: matter\n---",
        "\u2028separator\u2029",
      ),
    )
    .map((value) => value.replaceAll("\u0000", "").slice(0, maxLength))
    .filter((value) => value.trim() !== "" && value.isWellFormed());

const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const toolName = fc.stringMatching(/^[a-z][a-z_]{0,14}[a-z]$/);
const handlerName = fc.stringMatching(/^[a-z]{1,10}$/);

const settings = fc.record(
  {
    systemPrompt: nullable(text(2_000)),
    temperature: fc.integer({ min: 0, max: 100 }),
    maxOutputTokens: nullable(fc.integer({ min: 1, max: 4_000 })),
    reasoning: fc.constantFrom("default", "none", "low", "high"),
    model: nullable(fc.constantFrom("openai/gpt-5", "anthropic/claude-x", "test")),
    followUps: fc.boolean(),
    requireIdentity: fc.boolean(),
    budgetMessage: nullable(text(200)),
    askRating: nullable(fc.constantFrom("handed_over", "all")),
    ratingQuestion: nullable(text(200)),
    linkHosts: fc.uniqueArray(fc.constantFrom("docs.example", "shop.example", "a.b.example"), { maxLength: 3 }),
    allowedImageHosts: fc.uniqueArray(fc.constantFrom("images.example", "cdn.example:8443"), { maxLength: 2 }),
    pageQuery: fc.uniqueArray(fc.constantFrom("utm_source", "ref", "lang"), { maxLength: 3 }),
    tellModel: fc.uniqueArray(fc.constantFrom("email", "name", "claims.plan"), { maxLength: 3 }),
    attachments: fc.record(
      { images: fc.boolean(), files: fc.boolean(), handoffOnly: fc.boolean() },
      { requiredKeys: [] },
    ),
    handoff: fc.record(
      {
        isEnabled: fc.boolean(),
        whileWaiting: fc.constantFrom("agent", "silent"),
        promiseMinutes: nullable(fc.integer({ min: 1, max: 90 })),
        events: fc.uniqueArray(text(20), { maxLength: 3 }),
        hours: nullable(
          fc.constant({
            timeZone: "Europe/Zurich",
            days: [{ day: 1, from: "09:30", to: "17:00" }],
            exceptions: [{ date: "2026-12-25", from: null, to: null }],
          }),
        ),
      },
      { requiredKeys: [] },
    ),
    widget: fc.record(
      {
        title: nullable(text(100)),
        greeting: nullable(text(500)),
        suggestions: nullable(fc.array(text(80), { maxLength: 5 })),
        accentColor: nullable(fc.constantFrom("#f59e0b", "#000000", "#012345")),
        position: nullable(fc.constantFrom("left", "right")),
        pageSuggestions: nullable(
          fc.array(fc.record({ page: fc.constant("/pricing"), suggestions: fc.array(text(50), { maxLength: 3 }) }), {
            maxLength: 2,
          }),
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

const common = { description: text(300), label: nullable(text(40)), isEnabled: fc.boolean() };
const inputSchema = fc.constantFrom(
  { type: "object" },
  {
    type: "object",
    properties: { sku: { type: "string", description: "Number: of the article" }, amount: { type: "number" } },
    required: ["sku"],
  },
);

const tool = fc.oneof(
  fc.record({
    ...common,
    executionType: fc.constant("mock"),
    inputSchema,
    mockResponse: nullable(text(200)),
    resultFor: fc.constantFrom("both", "model", "visitor"),
  }),
  fc.record({
    ...common,
    executionType: fc.constant("http"),
    inputSchema: fc.constant({ type: "object", properties: { sku: { type: "string" } } }),
    httpMethod: fc.constantFrom("GET", "POST", "PUT"),
    httpUrl: fc.constantFrom(
      "https://api.example/stock?sku={sku}&key={{SHOP_KEY}}",
      "https://api.example/stock?api_key=plain&sku={sku}#part",
      "https://api.example/stock",
    ),
    httpHeaders: nullable(
      fc.constantFrom<Record<string, string>>(
        { Authorization: "Bearer {{SHOP_TOKEN}}", Accept: "application/json" },
        { Authorization: "Bearer plain-text", "X-Api-Key": "12345" },
        { Accept: "text/plain" },
      ),
    ),
    httpBody: nullable(fc.constantFrom({ article: "{sku}", nested: { list: [1, "two", null] } })),
  }),
  fc.record({
    ...common,
    executionType: fc.constant("form"),
    inputSchema: fc.constant({ type: "object" }),
    formSchema: fc.record({
      fields: fc.constantFrom(
        [{ name: "email", label: "Email", type: "email", validation: { required: { value: true } } }],
        [
          { name: "email", label: "E-Mail: *", type: "email" },
          { name: "size", label: "Size", type: "select", options: [{ label: "No", value: "no" }] },
        ],
      ),
      submitLabel: fc.constantFrom("Send", "Submit", "on"),
    }),
    formExecutionMode: fc.constantFrom("webhook", "client"),
    formClientHandler: nullable(handlerName),
    formWebhookUrl: nullable(fc.constantFrom("https://hooks.example/lead?token=plain", "https://hooks.example/lead")),
    formPostActions: nullable(
      fc.constant([
        { type: "webhook", url: "https://hooks.example/after", headers: { Cookie: "a=b" }, payload: { n: null } },
      ]),
    ),
    formConfirmation: nullable(fc.record({ emailField: fc.constant("email"), subject: text(60), message: text(300) })),
  }),
  fc.record({
    ...common,
    executionType: fc.constant("client"),
    inputSchema,
    clientResultSchema: nullable(fc.constant({ type: "object", properties: { ok: { type: "boolean" } } })),
  }),
);

const trigger = fc.record({
  name: fc.oneof(fc.constantFrom("Greet", "Greet (2)", "Ask"), text(40)),
  description: nullable(text(100)),
  triggerOnce: fc.boolean(),
  isEnabled: fc.boolean(),
  priority: fc.integer({ min: -5, max: 5 }),
  rule: fc.constantFrom(
    { triggerType: "time_on_page", conditions: { timeOnPage: 30 } },
    { triggerType: "scroll_depth", conditions: { scrollDepth: 50 } },
    { triggerType: "exit_intent", conditions: {} },
    { triggerType: "page_view", conditions: { page: "/blog/**" } },
    { triggerType: "custom_event", conditions: { event: "cart", eventData: { total: { $gt: 10 } } } },
  ),
  action: fc.oneof(
    fc.record({ actionType: fc.constant("open_chat"), actionConfig: fc.constant({}) }),
    fc.record({
      actionType: fc.constant("show_bubble"),
      actionConfig: fc.record({ message: text(80), duration: fc.constantFrom(500, 8_000) }),
    }),
    fc.constant({ actionType: "show_form" as const, actionConfig: {} }),
  ),
});

/** What a member could save: the bodies of the requests that create an agent with its tools and triggers. */
export const generatedAgent = fc.record({
  name: text(60),
  settings,
  tools: fc.uniqueArray(fc.tuple(toolName, tool), { maxLength: 4, selector: ([name]) => name }),
  triggers: fc.array(trigger, { maxLength: 4 }),
});
export type GeneratedAgent = typeof generatedAgent extends fc.Arbitrary<infer T> ? T : never;

type Answer = { status: number; body: { id: string; data: { id: string; slug: string } } };
type Caller = { call(method: "POST", url: string, body: object): Promise<Answer> };

/** Saves a generated agent as a member would. @returns its id and slug */
export async function saveGeneratedAgent(caller: Caller, agent: GeneratedAgent): Promise<{ id: string; slug: string }> {
  const post = async (url: string, body: object) => {
    const { status, body: answer } = await caller.call("POST", url, body);
    if (status !== 201)
      throw new Error(`${url} answered ${status}: ${JSON.stringify(answer)} to ${JSON.stringify(body)}`);
    return answer;
  };
  const { data } = await post("/agents", { name: agent.name, ...agent.settings });
  const forms: string[] = [];
  for (const [name, settings] of agent.tools) {
    const { id } = await post("/tools", { agentId: data.id, name, ...settings });
    if (settings.executionType === "form") forms.push(id);
  }
  for (const { rule, action, ...plain } of agent.triggers) {
    const [toolId] = forms;
    if (action.actionType === "show_form" && toolId === undefined) continue;
    const shown = action.actionType === "show_form" ? { ...action, actionConfig: { toolId } } : action;
    await post(`/triggers?agentId=${data.id}`, { ...plain, ...rule, ...shown });
  }
  return data;
}
