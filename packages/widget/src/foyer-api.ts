/**
 * The visitor as the site knows them: a `userToken`, which proves who they are, or a `userId`. If the agent requires
 * signed identities, a `userId` needs a `userHash`.
 */
export type Identity = ({ userId: string; userToken?: string } | { userId?: string; userToken: string }) & {
  userEmail?: string;
  userName?: string;
  /** Hexadecimal HMAC-SHA256 of `userId` with the agent's identity secret, computed by the site's server. */
  userHash?: string;
  metadata?: Record<string, unknown>;
  /** Alternate spelling of `metadata`. */
  userMetadata?: Record<string, unknown>;
};

/** A message from the visitor, a finished reply, or a message from the member of the team with the name `person`. */
export type MessageNotice = {
  role: "user" | "assistant";
  text: string;
  conversationId: string | null;
  person?: string;
};

/**
 * A change of who handles the conversation. `person` is the name of the member of the team, if `handler` is `human`.
 */
export type HandoffNotice = {
  handler: "agent" | "waiting" | "human";
  person: string | null;
  conversationId: string;
};

/** How far a visitor got with a form. It never contains the answers. To receive those, register a form handler. */
export type FormNotice = {
  toolId: string;
  toolName: string;
  /**
   * `shown`: the form is visible. `started`: the visitor began to fill in a field. `submitted`: the server has stored
   * the submission and the page's form handler, if any, has succeeded. `failed`: the submission or the handler failed,
   * and the visitor may try again. `shown` and `started` occur once per impression.
   */
  event: "shown" | "started" | "submitted" | "failed";
  /** Identifies the impression, as in the analytics. */
  formInstanceId: string;
  /** Set with `submitted`, and with `failed` if the server stored the submission. */
  submissionId?: string;
  /** Why it failed: an error code of the server, `UNREACHABLE`, or `HANDLER` for the page's own handler. */
  reason?: string;
};

/** An event of a trigger on this page, as it is reported to the server. */
export type TriggerNotice = {
  triggerId: string;
  triggerName: string;
  triggerType: "time_on_page" | "scroll_depth" | "exit_intent" | "page_view" | "custom_event";
  actionType: "open_chat" | "show_form" | "show_bubble";
  /**
   * `fired`: the action is visible. `converted`: on the same page view, the visitor then clicked the bubble, sent a
   * message or submitted a form. Only the trigger that fired last converts, and only once.
   */
  event: "fired" | "converted";
};

/** The events that `Foyer.on` accepts, with their data. */
export type FoyerEvents = {
  ready: undefined;
  open: undefined;
  close: undefined;
  message: MessageNotice;
  form: FormNotice;
  trigger: TriggerNotice;
  handoff: HandoffNotice;
  /**
   * The slots of the product whose “Add to cart” button was clicked. Without a listener, the button sends a message to
   * the agent.
   */
  add_to_cart: Record<string, unknown>;
};

/** Renders a tool's result into the empty element `place`. It may return a cleanup function. */
export type Renderer = (
  place: HTMLElement,
  result: {
    toolName: string;
    /** The tool's result as `displayConfig` maps it. */
    slots: Record<string, unknown>;
    options: { readonly [name: string]: boolean | undefined };
    result: unknown;
  },
  /** Sends a message as the visitor. */
  say: (text: string) => void,
) => undefined | (() => void);

/**
 * Runs a call of a client tool. `input` has been checked against the tool's schema. Its return value is sent to the
 * agent as JSON of at most 16 KB, if it arrives within 30 seconds. An exception is sent to the agent as an error.
 */
export type ToolHandler = (input: Record<string, unknown>) => unknown;

/** `confirm` is a question, such as "Add it to the cart?". The tool runs only if the visitor agrees. */
export type ToolOptions = { confirm?: string };

/** What a form handler receives besides the form data. */
export type FormSubmissionFacts = {
  submissionId: string;
  toolId: string;
  toolName: string;
  conversationId: string | null;
  /** The last value passed to `Foyer.setContext`. */
  context: Record<string, unknown>;
};

/**
 * Handles a submission on the page. `formData` is the data sent to the server: files are data URLs, and empty fields
 * are null. Returning nothing means success. An exception, a rejected promise or a run time over one minute counts as
 * a failure. The visitor never sees the exception.
 */
export type FormHandler = (
  formData: Record<string, unknown>,
  submission: FormSubmissionFacts,
) => FormHandlerResult | undefined | Promise<FormHandlerResult | undefined>;

/** The visitor sees `message`. The server stores the whole result with the submission. */
export type FormHandlerResult = { success: boolean; message?: string; data?: Record<string, unknown> };

/**
 * `window.Foyer` while the widget runs. Before that it is an array that queues calls such as `["open"]`, or functions
 * that receive this object.
 */
export type FoyerApi = {
  /**
   * Opens the chat. `message` is inserted into the message field. `form` is the id or name of a form tool, whose form
   * appears at the end of the conversation. `handoff` lets the visitor ask for a person, if the agent hands over.
   */
  open(options?: { message?: string; form?: string; handoff?: boolean }): void;
  close(): void;
  toggle(): void;
  /** Shows the widget again after `hide`. */
  show(): void;
  /** Hides the whole widget. The conversation continues. */
  hide(): void;
  /** Reports an event that triggers may wait for. Events from before the triggers have loaded are kept. */
  track(name: string, data?: Record<string, unknown>): void;
  identify(identity: Identity): void;
  /** Deletes the visitor's conversations, session and identity from this browser. */
  logout(): void;
  /**
   * Sets facts about the page, such as `{ productId }`. They are sent to the model with each message (at most 4 KB of
   * JSON), and fill `{{context.…}}` in form defaults. Replaces the previous values.
   */
  setContext(context: Record<string, unknown>): void;
  on<Name extends keyof FoyerEvents>(name: Name, listener: (detail: FoyerEvents[Name]) => void): () => void;
  off<Name extends keyof FoyerEvents>(name: Name, listener: (detail: FoyerEvents[Name]) => void): void;
  registerFormHandler(name: string, handler: FormHandler): void;
  /** Registers the code of a client tool. The agent can call it on pages that have registered it. */
  registerTool(name: string, run: ToolHandler, options?: ToolOptions): void;
  /** Registers a renderer for results of this tool whose display is `custom`. */
  registerRenderer(toolName: string, renderer: Renderer): void;
  /** Allows storage in the browser, for a widget with `data-consent="required"`. */
  consent(): void;
  /**
   * For developers: opens an overlay that lists the agent's triggers, each with its condition and the reason why it has
   * not fired.
   */
  debug(): void;
  /** Removes the widget and all its event listeners. */
  destroy(): void;
  /**
   * Runs calls such as `["open"]`, or functions that receive this object, immediately. Before the widget has loaded,
   * the same method queues them.
   */
  push(...calls: QueuedCall[]): void;
};

export type QueuedCall = [name: string, ...args: unknown[]] | ((foyer: FoyerApi) => void);
