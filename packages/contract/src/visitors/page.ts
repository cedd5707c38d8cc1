import Type, { type Static } from "typebox";
import { nullable } from "../schema.ts";

const text = (description: string) => Type.Optional(nullable(Type.String({ maxLength: 20_000, description })));
const context = Type.Object(
  {},
  {
    additionalProperties: true,
    description: "Facts about the page that its own code provides, such as a product id. At most 4 KB of JSON.",
  },
);

/** The page from which a visitor sends a message. */
export const Page = Type.Object({
  url: text(
    "URL of the page. The server keeps its origin and path, and the query parameters that the agent lists in `pageQuery`, up to 2,000 characters.",
  ),
  title: text("Title of the page; cut to 300 characters"),
  language: Type.Optional(
    nullable(Type.String({ maxLength: 200, description: "Language of the page or the browser, such as `de-CH`" })),
  ),
  context: Type.Optional(nullable(context)),
});
export type Page = Static<typeof Page>;

/** The page as it is stored with the visitor's message. */
export const MessagePage = Type.Object(
  {
    url: nullable(Type.String()),
    title: nullable(Type.String()),
    language: nullable(Type.String({ description: "Language tag (BCP 47), such as `de-CH`" })),
    context: nullable(context),
  },
  { $id: "MessagePage", description: "The page from which the visitor sent the message" },
);
export type MessagePage = Static<typeof MessagePage>;
