import { readFact } from "@foyer/contract/rules/visitor-facts";
import type { TurnContext } from "../turn-context.ts";

/** The part of a turn that bound values come from. */
export type BoundSources = Pick<TurnContext, "visitor" | "conversation" | "page">;

/** `message` is for the model, and `problem` for members. */
type Bound = { value: unknown } | { refusal: { message: string; problem: string } };

/**
 * The value of a bound placeholder such as `visitor.id`, or why there is none. It depends on the turn alone, never on
 * the model.
 */
export function boundValue(name: string, { visitor, conversation, page }: BoundSources): Bound {
  if (name === "conversation.id") return { value: conversation.id };
  if (name === "page.url") return { value: page?.url ?? null };
  if (visitor === null) {
    const message = "This works only for visitors who are signed in on the website.";
    return refuse(message, `The tool uses {{${name}}}, but nothing in this turn proved who the visitor is.`);
  }
  const value = readFact(visitor, name.slice("visitor.".length));
  if (value !== null) return { value };
  return refuse(
    "This is not possible for this visitor.",
    `The tool uses {{${name}}}, which the visitor's token does not contain. A userHash proves the id alone.`,
  );
}

function refuse(message: string, problem: string): Bound {
  return { refusal: { message, problem } };
}
