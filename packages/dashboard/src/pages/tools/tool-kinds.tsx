import { ClipboardList, Globe, MessageSquareQuote } from "lucide-react";
import type { ReactNode } from "react";
import type { ToolKind } from "./tool-draft.ts";

type Words = { name: string; line: string; make: string; example: string; icon: ReactNode; descriptionExample: string };

/** The three kinds of tools in words, in the order in which they are offered. */
export const toolKinds: Record<ToolKind, Words> = {
  mock: {
    name: "Fixed answer",
    make: "Make a fixed answer",
    line: "Always gives the same response, without calling anything.",
    example: "Opening hours, delivery prices, a list of what is on offer.",
    icon: <MessageSquareQuote size={16} aria-hidden />,
    descriptionExample:
      "Gives the opening hours of the shop for each day of the week. Use it whenever somebody asks when we are open or can come by.",
  },
  http: {
    name: "HTTP call",
    make: "Make an HTTP call",
    line: "Asks another service and shows what it says.",
    example: "Is this bike in stock? Where is my order?",
    icon: <Globe size={16} aria-hidden />,
    descriptionExample:
      "Looks up how many bikes of a model are in stock. Use it when somebody asks whether a bike is available. Gives the number for each size.",
  },
  form: {
    name: "Form",
    make: "Make a form",
    line: "Shows a form in the chat and delivers what visitors fill in.",
    example: "Book a test ride, ask for a quote, leave a message.",
    icon: <ClipboardList size={16} aria-hidden />,
    descriptionExample:
      "Shows the form for a test ride. Use it as soon as somebody wants to try a bike. It asks for the day and the e-mail address itself.",
  },
};

export const kindNames = ["mock", "http", "form"] as const satisfies readonly ToolKind[];

export function toKind(text: string | undefined): ToolKind | null {
  return kindNames.find((kind) => kind === text) ?? null;
}
