import type * as contract from "@foyer/contract";
import type { Static, TSchema } from "typebox";

type Contract = typeof contract;
type WithBody = { schema: { body: TSchema } };
/** Example bodies by operation. A body of raw bytes has no example. */
type Examples = {
  [Name in keyof Contract as Name extends "uploadDocument" | "uploadAttachment"
    ? never
    : Contract[Name] extends WithBody
      ? Name
      : never]: Contract[Name] extends WithBody ? Static<Contract[Name]["schema"]["body"]> : never;
};

const agentId = "agent_01jd3v5m8k2q7x4n9r6t1w0ybc";
const toolId = "tool_01jd3v6p5n2e8r7a4d1k9c3m0x";
const userId = "user_01jd3v4h6j8k0m2n4p6q8r0s2t";
const email = "ada@example.com";
const password = "correct horse battery staple";
const token = "7Yk2vQd1xPz8sRt5";

const bookingForm = {
  fields: [
    { name: "email", label: "Email", type: "email" as const, validation: { required: { value: true } } },
    { name: "day", label: "Preferred day", type: "date" as const },
  ],
  submitLabel: "Book",
};

/** A request body for every operation that has one. The compiler checks them, and the tests validate them. */
export const requestExamples: Examples = {
  createAgent: { name: "Harbour Bikes", systemPrompt: "You help customers of a bicycle shop.", temperature: 30 },
  updateAgent: { name: "Harbour Bikes support", allowedOrigins: ["https://shop.example"] },
  snoozeConversation: { until: "2026-02-02T08:00:00Z" },
  updatePresence: { isAway: true },
  publishAgent: { note: "Answers questions about rental prices" },
  applyAgents: {
    agents: [
      {
        format: "foyer-agent/1",
        agent: { slug: "harbour-bikes", name: "Harbour Bikes", systemPrompt: "You help customers of a bicycle shop." },
        tools: [],
        triggers: [],
      },
    ],
  },
  rollOutVersion: { version: 7, percent: 10 },
  createAgentTest: {
    name: "Rental prices",
    turns: ["What does a bike cost for two days?"],
    checks: [
      { kind: "tool_called", tool: "rental_price", arguments: { days: 2 } },
      { kind: "says", text: "50" },
      { kind: "language", language: "en" },
    ],
    results: { rental_price: { total: 50, currency: "EUR" } },
  },
  keepConversationAsTest: { conversationId: "conv_01h455vb4pex5vsknk084sn02q", name: "Rental prices" },
  createReplay: { from: 7, to: "draft", sample: { n: 50, filter: { feedback: "down" } }, maxCost: 2 },
  putReplayVerdict: { verdict: "candidate" },
  runAgentTests: { version: "draft", repeat: 3 },
  updateAgentTest: { checks: [{ kind: "max_words", n: 80 }] },
  restoreAgentVersion: { withoutMissing: true },
  putAgentImage: {
    image:
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  },
  checkIdentityToken: { token: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0MiJ9.…" },
  createIdentityToken: { id: "42", email, name: "Ada", claims: { plan: "pro" } },
  putModelPrice: { input: 2.5, cachedInput: 0.25, output: 15, currency: "USD" },
  putModelSetting: { supportsImages: false },
  createApiKey: { name: "Nightly import", expiresAt: "2027-01-31" },
  signInByEmail: { email, password },
  signUpByEmail: { email, password, name: "Ada" },
  updateProfile: { name: "Ada" },
  updateOrganization: { name: "Harbour Bikes" },
  switchOrganization: { organizationId: "org_01jd3v4f6g7h8j9k0m1n2p3q4r" },
  sendMagicLink: { email, callbackUrl: "/dashboard" },
  requestPasswordReset: { email },
  resetPassword: { token, newPassword: password },
  changePassword: { currentPassword: password, newPassword: "another long enough password" },
  sendVerificationEmail: { email },
  requestHuman: { reason: "The invoice of my rental is wrong", email },
  assignConversation: { userId },
  returnConversation: { note: "The refund is on its way. Do not offer another one.", epoch: 2 },
  draftReply: { attachments: ["att_01jd3v7b2q5s8w1y4h7k0m3p6t"] },
  sendMemberMessage: { content: "Hello, I am looking at your invoice right now." },
  reportSeen: { messageId: "msg_01kdh8rstafw59g6t6c8sqv5w2" },
  createVisitorNote: { text: "Prefers to be called in the afternoon." },
  putMessageDraft: { text: "Hello, your refund is", attachments: ["att_01jd3v7b2q5s8w1y4h7k0m3p6t"] },
  createNote: { text: "Regular customer, refund approved by the shop in Zurich." },
  addConversationTag: { name: "refund" },
  updateTag: { name: "refunds" },
  createBulkAction: { action: "tag", tag: "refund", filter: { handler: "human", q: "invoice" } },
  createTeam: {
    name: "Workshop",
    description: "Repairs, spare parts and appointments",
    members: [{ userId: "user_01jd3v8m4r7e2t9y5w1q6n0k3b", capacity: 5 }],
    assignment: "least_busy",
    targets: { firstAnswer: 15, nextAnswer: 30, resolution: 480 },
  },
  updateTeam: { targets: { firstAnswer: 10 } },
  createInboxView: {
    name: "Refunds",
    filter: { tag: "tag_01jd3v8m4r7e2t9y5w1q6n0k3b", handler: "human" },
    isShared: true,
    sort: "activity",
    columns: ["assignee", "tags"],
  },
  updateInboxView: { name: "Open refunds" },
  createCannedReply: {
    name: "Refund",
    text: "Hello {{visitor.name}}, the refund takes three working days.",
    actions: { resolve: true },
  },
  updateCannedReply: { name: "Refund on its way" },
  putNoticeSettings: { email: false },
  createPushSubscription: {
    endpoint: "https://push.example.com/send/dQw4w9WgXcQ",
    keys: {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    },
    label: "Firefox on Linux",
  },
  createNoticeChannel: { kind: "webhook", name: "#support", url: "https://hooks.example.com/support" },
  updateNoticeChannel: { isEnabled: false },
  chat: { agentId, messages: [{ role: "user", content: "Which bikes do you rent?" }], sessionId: "visitor-7" },
  beginConversation: {
    agentId,
    messages: [{ role: "user", content: "My rental bike was stolen" }],
    sessionId: "visitor-7",
  },
  eraseVisitor: { email: "ada@example.com", dryRun: true },
  claimToolCall: { toolUseId: "call_7d1f", claimId: "tab-2f8e6c1a" },
  sendToolResult: { toolUseId: "call_7d1f", result: { items: 2 } },
  rateConversation: { score: 5, comment: "Quick and friendly" },
  rateMessage: { messageId: "msg_01jd3v7c4x5y6z7a8b9c0d1e2f", rating: "up" },
  submitForm: { toolId, formData: { email, day: "2026-02-14" }, fieldsCompleted: ["email", "day"] },
  reportClientResult: { submissionId: "sub_01jd3v7k9hf0mtb8s6wxq2zy4c", success: true, message: "Booked" },
  recordFormEvent: { toolId, eventType: "impression", formInstanceId: "form-42" },
  retrySubmissions: { agentId, statuses: ["webhook_failed"] },
  createMailRecipient: { address: "desk@example.com" },
  updateMember: { role: "admin" },
  createInvitation: { email, role: "member" },
  putProvider: { apiKey: "sk-example" },
  testProvider: { apiKey: "sk-example", baseUrl: "https://models.example/v1" },
  createSecret: { name: "STOCK_API_KEY", value: "secret-value", hosts: ["api.example.com"] },
  putSecret: { value: "secret-value", hosts: ["api.example.com:8443"] },
  checkSetUpToken: { token },
  setUp: { token, email, password, agentName: "Harbour Bikes" },
  createTool: {
    agentId,
    name: "book_test_ride",
    description: "Shows a form to book a test ride. Use it when the visitor wants to try a bike.",
    executionType: "form",
    inputSchema: { type: "object", properties: { email: { type: "string", description: "The visitor's address" } } },
    formSchema: bookingForm,
    formWebhookUrl: "https://hooks.example.com/bookings",
  },
  updateTool: { isEnabled: false },
  testTool: { input: { size: "M" } },
  createDocument: {
    agentId,
    kind: "faq",
    question: "Do you rent bikes?",
    otherWordings: ["Can I hire a bike for a day?"],
    answer: "Yes. City bikes cost 20 € a day, and helmets are free.",
  },
  putDocumentByKey: {
    agentId,
    kind: "text",
    title: "Opening hours",
    text: "We are open from 9 to 18, Monday to Saturday.",
  },
  putDocumentEmbeddings: { model: "openai/text-embedding-3-small" },
  updateDocument: { citation: "title" },
  changeDocuments: { ids: ["doc_01jd3v8a1b2c3d4e5f6g7h8j9k"], action: "disable" },
  dismissUnansweredQuestions: { agentId, ids: ["kV0mB8yq2hJ5tXo3cW1n7g"] },
  searchDocuments: { agentId, query: "rent a bike for one day" },
  createSource: {
    agentId,
    url: "https://harbour-bikes.example/",
    include: ["/help/**"],
    exclude: ["/help/archive/**"],
    schedule: "daily",
  },
  updateSource: { schedule: "weekly" },
  previewSource: { url: "https://harbour-bikes.example/" },
  createTrigger: {
    name: "Greet on pricing",
    triggerType: "page_view",
    conditions: { page: "/pricing/**" },
    actionType: "show_bubble",
    actionConfig: { message: "Questions about our prices?", duration: 8_000 },
  },
  updateTrigger: { isEnabled: false, priority: 10 },
  createWebhook: {
    url: "https://crm.example.com/foyer",
    events: ["reply.finished", "conversation.idle"],
    agentIds: [],
  },
  updateWebhook: { payload: "ids" },
  testWebhook: { event: "reply.finished" },
  putEventFeed: { isEnabled: true },
  recordTriggerEvent: {
    agentId,
    triggerName: "Greet on pricing",
    triggerType: "page_view",
    actionType: "show_bubble",
    eventType: "fired",
    sessionId: "visitor-7",
  },
};
