import { AppWindow, ClipboardList, Globe, MessageSquareQuote } from "lucide-react";
import type { ReactNode } from "react";
import type { ToolKind } from "./tool-draft.ts";

type KindTexts = {
  name: string;
  line: string;
  make: string;
  example: string;
  icon: ReactNode;
  descriptionExample: string;
};

/** The texts of the kinds of tools, in menu order. */
export const toolKinds: Record<ToolKind, KindTexts> = {
  mock: {
    name: "Canned answer",
    make: "Add canned answer",
    line: "Always returns the same response.",
    example: "Opening hours, delivery prices, a list of current offers.",
    icon: <MessageSquareQuote size={16} aria-hidden />,
    descriptionExample:
      "Returns the shop's opening hours for each day of the week. Use it when a visitor asks when we are open.",
  },
  http: {
    name: "API call",
    make: "Connect an API",
    line: "Calls a web service and returns its response.",
    example: "Is this bike in stock? Where is my order?",
    icon: <Globe size={16} aria-hidden />,
    descriptionExample:
      "Looks up how many bikes of a model are in stock. Use it when a visitor asks whether a bike is available. Returns the number for each size.",
  },
  form: {
    name: "Form",
    make: "Create form",
    line: "Shows a form in the chat and delivers the submissions.",
    example: "Book a test ride, ask for a quote, leave a message.",
    icon: <ClipboardList size={16} aria-hidden />,
    descriptionExample:
      "Shows the test ride form. Use it as soon as a visitor wants to try a bike. The form asks for the day and the email address.",
  },
  client: {
    name: "Page action",
    make: "Add page action",
    line: "Runs your website's code in the visitor's browser.",
    example: "Put this bike into the cart. Filter the list by size.",
    icon: <AppWindow size={16} aria-hidden />,
    descriptionExample:
      "Puts a bike into the visitor's cart. Use it when the visitor asks for that. Returns the number of items in the cart.",
  },
};

export const kindNames = ["mock", "http", "form", "client"] as const satisfies readonly ToolKind[];

/** The kind with this name on the wire. Null for calls of built-in tools, too. */
export function toKind(text: string | null | undefined): ToolKind | null {
  return kindNames.find((kind) => kind === text) ?? null;
}
