/*
 * The limits of the contract's schemas that the dashboard, the widget and the SDK also apply. They import them from
 * here, so that a form never accepts what the API refuses. A limit that only the server checks is in its schema.
 * What the widget needs is a constant of its own, because it would carry every property of an object.
 */

/** Characters of a visitor's id, email address or name. */
export const maxIdentityLength = 320;
/** Characters of a token that a site signed for a visitor. */
export const maxUserTokenLength = 40_000;
/** Characters of a page's URL that the widget sends and the server stores. */
export const maxPageUrlLength = 2_000;
/** Characters of a page's path in a trigger's report. */
export const maxPagePathLength = 2_000;
/** Names of client tools in a chat request. */
export const maxClientTools = 100;

/** Characters of the question that asks for a rating of a conversation. */
export const maxRatingQuestionLength = 200;

/** Characters of the comment with a rating of a conversation. */
export const maxRatingCommentLength = 2_000;

/** Characters of an email address that is stored. */
export const maxEmailLength = 254;

/** Limits of a message's page: characters, and UTF-8 bytes of the context as JSON. */
export const pageLimits = { titleCharacters: 300, contextBytes: 4_096 } as const;

/** Limits of an agent: numbers, and lengths of lists. */
export const agentLimits = {
  slug: 100,
  temperature: 100,
  maxOutputTokens: 200_000,
  allowedOrigins: 100,
  allowedImageHosts: 100,
  linkHosts: 50,
  pageQuery: 50,
  tellModel: 50,
} as const;

/** Limits of an agent's widget: pixels of an offset, and suggestions in one list. */
export const widgetLimits = { offset: 400, suggestions: 10 } as const;

/** Limits of the handoff settings: minutes, counts of a rule, and lengths of lists. */
export const handoffSettingsLimits = { promiseMinutes: 1_440, ruleCount: 10, events: 20, exceptions: 100 } as const;

/** The maximum minutes of a team's target or escalation: 30 days. */
export const maxOpenMinutes = 43_200;

/** The maximum number of conversations that one bulk action changes. */
export const maxBulkConversations = 10_000;
/** The maximum number of conversations that a request can name one by one. */
export const maxBulkIds = 500;

/** Up to this number, the inbox counts unread, open and resolved conversations. */
export const maxInboxTotal = 1_000;

/** Characters of a tool's texts. */
export const toolTextLimits = {
  name: 64,
  description: 4_000,
  label: 60,
  inputName: 100,
  url: 2_000,
  headerValue: 4_000,
  clientHandler: 200,
} as const;

/** Characters of a form's texts. */
export const formTextLimits = {
  fieldName: 100,
  label: 500,
  placeholder: 500,
  defaultValue: 5_000,
  option: 500,
  pattern: 1_000,
  ruleMessage: 500,
  submitLabel: 200,
  resultMessage: 2_000,
} as const;

/** Characters of what is sent after a form is submitted. */
export const formDeliveryLimits = { url: 2_000, subject: 500, message: 10_000 } as const;

/** Percentage of the page that a `scroll_depth` trigger can wait for. */
export const maxScrollDepth = 100;

/** Minutes without a message until a webhook reports a conversation as idle. */
export const maxIdleMinutes = 1_440;

/** Characters of a search text. */
export const searchTextLimits = { conversations: 64, documents: 200, passages: 1_000 } as const;

/** How far the matches of a text in conversations are counted. */
export const maxSearchTotal = 1_000;
