import type { Tool, TriggerTemplate } from "@foyer/contract";

/** Triggers to begin with; each can be posted as it is. */
export const triggerTemplates: readonly TriggerTemplate[] = [
  {
    id: "welcome-bubble",
    name: "Welcome bubble",
    description: "Says hello a few seconds after somebody arrives, without getting in the way.",
    ...{ triggerType: "time_on_page", conditions: { timeOnPage: 5 } },
    ...{ actionType: "show_bubble", actionConfig: { message: "Hi there! Ask me anything.", duration: 10_000 } },
  },
  {
    id: "offer-help",
    name: "Offer help",
    description: "Opens the chat for visitors who have been reading a page for a minute.",
    ...{ triggerType: "time_on_page", conditions: { timeOnPage: 60 } },
    ...{ actionType: "open_chat", actionConfig: {} },
  },
  {
    id: "before-they-leave",
    name: "Before they leave",
    description: "Asks visitors who are about to leave the page whether something is missing.",
    ...{ triggerType: "exit_intent", conditions: {} },
    actionType: "show_bubble",
    actionConfig: { message: "Leaving already? Tell me what you were looking for, and I will help you find it." },
  },
  {
    id: "leaving-with-a-question",
    name: "Leaving with a question",
    description: "Opens the chat with a question already written when somebody is about to leave.",
    ...{ triggerType: "exit_intent", conditions: {} },
    ...{ actionType: "open_chat", actionConfig: { message: "I did not find what I was looking for. Can you help?" } },
  },
  {
    id: "half-read",
    name: "Half of the page read",
    description: "Offers a summary to visitors who have read half of a page.",
    ...{ triggerType: "scroll_depth", conditions: { scrollDepth: 50 } },
    actionType: "show_bubble",
    actionConfig: { message: "Short of time? I can sum this up for you.", duration: 12_000 },
  },
  {
    id: "read-to-the-end",
    name: "Read to the end",
    description: "Asks interested readers what they would like to know next.",
    ...{ triggerType: "scroll_depth", conditions: { scrollDepth: 90 } },
    actionType: "show_bubble",
    actionConfig: { message: "You made it to the end! Any questions left?" },
  },
  {
    id: "pricing-questions",
    name: "Questions about prices",
    description: "Helps visitors of the pricing page to find the plan that fits. Change the page to yours.",
    ...{ triggerType: "page_view", conditions: { page: "/pricing" } },
    actionType: "show_bubble",
    actionConfig: { message: "Not sure which plan fits? Tell me what you need." },
  },
  {
    id: "help-in-the-docs",
    name: "Help in the documentation",
    description: "Offers an answer to readers of any page of the documentation. Change the pages to yours.",
    ...{ triggerType: "page_view", conditions: { page: "/docs/**" } },
    actionType: "show_bubble",
    actionConfig: { message: "Looking for something? Ask, and I will point you to the right page.", duration: 15_000 },
  },
  {
    id: "compare-products",
    name: "Compare products",
    description: "Opens the chat on product pages, ready to compare. Change the pages to yours.",
    ...{ triggerType: "page_view", conditions: { page: "/products/*" } },
    ...{ actionType: "open_chat", actionConfig: { message: "How does this product compare to similar ones?" } },
  },
  {
    id: "stuck-at-checkout",
    name: "Stuck at the checkout",
    description: "Helps when your page reports a failed payment: fire the event `payment_failed` from your code.",
    ...{ triggerType: "custom_event", conditions: { event: "payment_failed" } },
    ...{ actionType: "open_chat", actionConfig: { message: "My payment did not go through. What can I do?" } },
  },
  {
    id: "large-cart",
    name: "Large cart",
    description:
      "Offers advice on large orders: fire the event `cart_updated` with `{ total }` from your code. Change the amount to yours.",
    ...{ triggerType: "custom_event", conditions: { event: "cart_updated", eventData: { total: { $gte: 200 } } } },
    actionType: "show_bubble",
    actionConfig: { message: "That is a big order! Any questions about delivery or payment?" },
  },
  {
    id: "nothing-found",
    name: "Nothing found",
    description: "Helps when a search finds nothing: fire the event `search` with `{ results }` from your code.",
    ...{ triggerType: "custom_event", conditions: { event: "search", eventData: { results: 0 } } },
    actionType: "show_bubble",
    actionConfig: { message: "No luck? Describe what you need, and I will look for it." },
  },
];

/** The same with a form, for an agent that has one. */
export function formTemplates({ id: toolId, name }: Pick<Tool, "id" | "name">): TriggerTemplate[] {
  const action = { actionType: "show_form", actionConfig: { toolId } } as const;
  return [
    {
      id: "form-after-a-while",
      name: `Show ${name} after a while`,
      description: "Shows the form to visitors who have been on a page for half a minute.",
      ...{ triggerType: "time_on_page", conditions: { timeOnPage: 30 }, ...action },
    },
    {
      id: "form-before-they-leave",
      name: `Show ${name} before they leave`,
      description: "Shows the form to visitors who are about to leave the page.",
      ...{ triggerType: "exit_intent", conditions: {}, ...action },
    },
    {
      id: "form-at-the-end",
      name: `Show ${name} at the end of the page`,
      description: "Shows the form to visitors who have read most of a page.",
      ...{ triggerType: "scroll_depth", conditions: { scrollDepth: 75 }, ...action },
    },
    {
      id: "form-on-contact-page",
      name: `Show ${name} on the contact page`,
      description: "Shows the form on one page. Change the page to yours.",
      ...{ triggerType: "page_view", conditions: { page: "/contact" }, ...action },
    },
    {
      id: "form-on-request",
      name: `Show ${name} on request`,
      description: "Shows the form when your code fires the event `show_form`, say from a button of your own.",
      ...{ triggerType: "custom_event", conditions: { event: "show_form" }, ...action },
    },
  ];
}
