/** Who the visitor is, as the site knows it. `userHash` is needed where the agent asks for signed identities. */
export type Identity = {
  userId: string;
  userEmail?: string;
  userName?: string;
  /** hex HMAC-SHA256 of `userId` with the agent's identity secret, made by the site's server */
  userHash?: string;
  metadata?: Record<string, unknown>;
  /** Alternate spelling of `metadata` */
  userMetadata?: Record<string, unknown>;
};

/** A message of the visitor, or a finished reply. */
export type MessageNotice = { role: "user" | "assistant"; text: string; conversationId: string | null };

/** How far a visitor got with a form. Never what was filled in: for that, register a form handler. */
export type FormNotice = {
  toolId: string;
  toolName: string;
  /**
   * `shown`: it can be seen. `started`: the first field is being filled in. `submitted`: the server has it and, where
   * there is one, the page's own handler did its part. `failed`: it did not arrive, or that handler failed; the visitor
   * may try again. The first two come once for one showing of a form.
   */
  event: "shown" | "started" | "submitted" | "failed";
  /** One showing of a form to one visitor, as in the analytics. */
  formInstanceId: string;
  /** With `submitted`, and with `failed` when the server has it. */
  submissionId?: string;
  /** Why it failed: an error code of the server, `UNREACHABLE`, or `HANDLER` for the page's own handler. */
  reason?: string;
};

/** What a trigger of the agent did on this page, as it is reported to the server. */
export type TriggerNotice = {
  triggerId: string;
  triggerName: string;
  triggerType: "time_on_page" | "scroll_depth" | "exit_intent" | "page_view" | "custom_event";
  actionType: "open_chat" | "show_form" | "show_bubble";
  /**
   * `fired`: what it does can be seen. `converted`: after it, on the same page, the visitor pressed its bubble, sent a
   * message or submitted a form; once for what fired last.
   */
  event: "fired" | "converted";
};

/** What `Foyer.on` can hear. */
export type FoyerEvents = {
  ready: undefined;
  open: undefined;
  close: undefined;
  message: MessageNotice;
  form: FormNotice;
  trigger: TriggerNotice;
};

/** Draws a result in the site's own way into `place`, an empty element. May return what undoes it. */
export type Renderer = (
  place: HTMLElement,
  result: {
    toolName: string;
    /** The tool's result as `displayConfig` maps it. */
    slots: Record<string, unknown>;
    options: { readonly [name: string]: boolean | undefined };
    result: unknown;
  },
  /** Says something to the agent in the visitor's name. */
  say: (text: string) => void,
) => undefined | (() => void);

/** What a form handler gets to know besides the data. */
export type FormSubmissionFacts = {
  submissionId: string;
  toolId: string;
  toolName: string;
  conversationId: string | null;
  /** What `Foyer.setContext` was given last. */
  context: Record<string, unknown>;
};

/**
 * Does what a form is for on the page itself. `formData` is what the server was sent: files as data URLs, what was not
 * filled in as null. Nothing returned means success. What it throws or rejects with counts as failed and is not shown to
 * the visitor; nor is what takes longer than a minute waited for.
 */
export type FormHandler = (
  formData: Record<string, unknown>,
  submission: FormSubmissionFacts,
) => FormHandlerResult | undefined | Promise<FormHandlerResult | undefined>;

/** The visitor reads `message`; the server keeps all of it with the submission. */
export type FormHandlerResult = { success: boolean; message?: string; data?: Record<string, unknown> };

/** `window.Foyer`, once the widget runs. Before that it is a list that takes `["open"]` or a function of this object. */
export type FoyerApi = {
  /**
   * Opens the chat. `message` is put into the field where the visitor writes; `form` is the id or name of a form tool,
   * whose form is shown at the end of the conversation.
   */
  open(options?: { message?: string; form?: string }): void;
  close(): void;
  toggle(): void;
  /** Shows the widget again after `hide`. */
  show(): void;
  /** Takes the whole widget off the page, as if it were not there; a conversation goes on. */
  hide(): void;
  /** Tells of an event that triggers may wait for. Those told before the triggers are there are kept until then. */
  track(name: string, data?: Record<string, unknown>): void;
  identify(identity: Identity): void;
  /** Forgets the visitor: conversations, session and identity, in this browser. */
  logout(): void;
  /** What forms may fill in as `{{context.…}}`; replaces what was set before. */
  setContext(context: Record<string, unknown>): void;
  on<Name extends keyof FoyerEvents>(name: Name, listener: (detail: FoyerEvents[Name]) => void): () => void;
  off<Name extends keyof FoyerEvents>(name: Name, listener: (detail: FoyerEvents[Name]) => void): void;
  registerFormHandler(name: string, handler: FormHandler): void;
  /** For results whose display is `custom`, by the tool's name. */
  registerRenderer(toolName: string, renderer: Renderer): void;
  /** With `data-consent="required"`: the visitor agreed to storage. */
  consent(): void;
  /** For who makes the site: lists the agent's triggers on the page, each with what it waits for and why it did not fire. */
  debug(): void;
  /** Takes the widget away with all that it listens to. */
  destroy(): void;
  /** Runs at once what before the load would have waited: `["open"]`, or a function of this object. */
  push(...calls: QueuedCall[]): void;
};

export type QueuedCall = [name: string, ...args: unknown[]] | ((foyer: FoyerApi) => void);
